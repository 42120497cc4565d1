import { expect, test } from 'vitest'
import { isRecord } from '../../platform/checks.ts'
import { aClient, saying } from '../harness/a-client.ts'
import { theEdgeSystem } from '../harness/an-edge.ts'
import { balanceOf, logsOf } from '../harness/invariants.ts'

const system = theEdgeSystem()

/** The last request body that the vendor received. */
function sentBody(): Record<string, unknown> {
  const body = system.simulator.calls.at(-1)?.body
  return isRecord(body) ? body : {}
}

test('the OpenAI SDK gets a whole completion: charged, logged, nothing held afterwards', async () => {
  const { openai, accountId } = await aClient(system)
  const { data: completion, response } = await openai.chat.completions
    .create(saying('Hello there'))
    .withResponse()
  expect(completion.model).toBe('vendor_a/atlas')
  expect(completion.choices[0]?.message.content).toBeTruthy()
  const [log] = await logsOf(system, { accountId })
  expect(log).toMatchObject({
    id: response.headers.get('x-request-id'),
    status: 200,
    streamed: false,
    prompt_tokens: BigInt(completion.usage!.prompt_tokens),
    completion_tokens: BigInt(completion.usage!.completion_tokens),
    usage_estimated: false,
  })
  expect(log?.cost_nanos).toBeGreaterThan(0n)
  const balance = await balanceOf(system.context.sql, accountId)
  expect(balance).toMatchObject({ credits: 100_000_000_000n - log?.cost_nanos, in_use: 0n })
})

test('the OpenAI SDK streams: usage rides on the last chunk, or on one of its own where it was asked for', async () => {
  const { openai, accountId } = await aClient(system)
  for (const include of [false, true]) {
    const stream = await openai.chat.completions.create({
      ...saying('Tell me a story'),
      stream: true,
      ...(include && { stream_options: { include_usage: true } }),
    })
    const chunks = []
    for await (const chunk of stream) chunks.push(chunk)
    const last = chunks.at(-1)!
    expect(last.usage?.total_tokens).toBeGreaterThan(0)
    expect(last.choices).toHaveLength(include ? 0 : 1)
    expect(chunks.map(chunk => chunk.choices[0]?.delta.content ?? '').join('')).not.toBe('')
  }
  const log = { streamed: true, status: 200 }
  expect(await logsOf(system, { accountId })).toMatchObject([log, log])
})

test('unknown fields reach the vendor, the platform credential goes with them, the client key does not', async () => {
  const client = await aClient(system)
  system.simulator.reset()
  await client.post('/chat/completions', { ...saying('Hi'), verbosity: 'low', max_tokens: 7 })
  const call = system.simulator.calls.at(-1)
  expect(call?.body).toMatchObject({ model: 'atlas-2026-06', verbosity: 'low' })
  expect(JSON.stringify(call)).not.toContain(client.text)
  expect(call?.headers.authorization).toBe('Bearer sim-platform-key')
})

test.each([false, true])('functions, the older form of tools, are called too: streamed %j', async stream => {
  const { openai, accountId } = await aClient(system)
  const functions = [{ name: 'now', parameters: { type: 'object', properties: {} } }]
  const asked = { ...saying('What time is it?'), functions }
  if (stream) {
    let called = ''
    for await (const { choices } of await openai.chat.completions.create({ ...asked, stream })) {
      called += choices[0]?.delta.function_call?.name ?? ''
    }
    expect(called).toBe('now')
  } else {
    const { choices } = await openai.chat.completions.create(asked)
    expect(choices[0]?.message.function_call).toEqual({ name: 'now', arguments: '{}' })
  }
  const [log] = await logsOf(system, { accountId })
  expect(log).toMatchObject({ status: 200, streamed: stream })
  expect(log?.cost_nanos).toBeGreaterThan(0n)
})

test.each([
  ['vendor_a/atlas', { max_tokens: 1_000_000 }, { max_tokens: 32_768 }],
  ['vendor_a/atlas', { max_completion_tokens: 1_000_000 }, { max_tokens: 32_768 }],
  ['vendor_a/atlas', { max_tokens: 9, max_completion_tokens: 5 }, { max_tokens: 5 }],
  ['vendor_a/atlas', {}, { max_tokens: 32_768 }],
  ['vendor_a/atlas-thinker', { max_tokens: 1_000_000 }, { max_completion_tokens: 100_000 }],
  ['vendor_a/atlas-thinker', { max_tokens: 900, max_completion_tokens: 500 }, { max_completion_tokens: 500 }],
])('%s with %j is told %j: at most what the model gives', async (model, asked, told) => {
  const client = await aClient(system)
  const response = await client.post('/chat/completions', { ...saying('Hi', model), ...asked })
  expect(response.status).toBe(200)
  const { max_tokens, max_completion_tokens } = sentBody()
  expect({ max_tokens, max_completion_tokens }).toEqual(told)
})

test('a small balance still works: the hold takes what is there and the answer is shorter', async () => {
  const { openai, accountId } = await aClient(system, { creditNanos: 400_000n })
  const completion = await openai.chat.completions.create(saying('say 2000 words'))
  expect(completion.choices[0]?.finish_reason).toBe('length')
  expect((await balanceOf(system.context.sql, accountId)).credits).toBeGreaterThanOrEqual(0n)
})

test('no text of a client makes a charge fail: NUL in `user` is charged, one without end is refused', async () => {
  const client = await aClient(system)
  for (const stream of [false, true]) {
    const response = await client.post('/chat/completions', { ...saying('Hi'), user: 'a\u0000b', stream })
    expect(response.status).toBe(200)
    await response.text()
  }
  const logs = await logsOf(system, client)
  expect(logs.map(log => log.cost_nanos > 0n && log.end_user)).toEqual(['ab', 'ab'])
  const long = await client.post('/chat/completions', { ...saying('Hi'), user: 'x'.repeat(5_000) })
  expect(await long.json()).toMatchObject({ code: 400, error: { param: 'user' } })
})

test('one model is found by its id, a slash at the end and HEAD are taken, a compressed body is not', async () => {
  const client = await aClient(system)
  expect(await client.openai.models.retrieve('vendor_a/atlas')).toMatchObject({ id: 'vendor_a/atlas' })
  const authorization = { authorization: `Bearer ${client.text}` }
  expect((await fetch(`${system.baseURL}/models/`, { headers: authorization })).status).toBe(200)
  const head = { method: 'HEAD', headers: authorization }
  expect((await fetch(`${system.baseURL}/models`, head)).status).toBe(200)
  const compressed = await client.post('/chat/completions', '{}', { 'content-encoding': 'gzip' })
  expect(compressed.status).toBe(415)
})
