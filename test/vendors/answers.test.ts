import { describe, expect, test, vi } from 'vitest'
import { aClient, saying } from '../harness/a-client.ts'
import { balanceOf, logsOf } from '../harness/invariants.ts'
import { callBothWays, contentOf, costOf, type Params, theVendorsSystem } from './call-both-ways.ts'
import { chatModels, vendors } from './vendors.ts'

const system = theVendorsSystem()

describe.each(vendors)('an answer of $model', vendor => {
  const { model } = vendor

  test('is charged and logged with what the vendor counted, whole and streamed', async () => {
    const client = await aClient(system)
    const answers = await callBothWays(client, saying('Hello there', model))
    for (const answer of answers) {
      expect(answer).toMatchObject({ model, choices: [{ finish_reason: 'stop' }] })
      expect(contentOf(answer)).toContain('read "Hello there"')
    }
    const [whole, streamed] = [costOf(vendor, answers[0]), costOf(vendor, answers[1])]
    const logs = await logsOf(system, client)
    expect(logs.map(log => [log.status, log.streamed, log.usage_estimated, log.cost_nanos])).toEqual([
      [200, false, false, whole],
      [200, true, false, streamed],
    ])
    const name = vendor.namesAnswers ? expect.stringMatching(/^req_/) : null
    expect(logs.map(log => log.upstream_request_id)).toEqual([name, name])
    expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({
      credits: 100_000_000_000n - whole - streamed,
      in_use: 0n,
    })
  })

  test('ends at its limit', async () => {
    const client = await aClient(system)
    for (const answer of await callBothWays(client, { ...saying('say 50 words', model), max_tokens: 5 })) {
      expect(answer.choices[0]?.finish_reason).toBe('length')
      expect(answer.usage?.completion_tokens).toBe(5)
    }
  })
})

test.each([
  ['vendor_a/atlas', 'atlas-2026-06 '],
  ['vendor_b/lyric-classic', 'lyric-4 '],
  ['vendor_c/prism-pro', 'prism-3-pro '],
])('%s ends at a stop sequence, at a temperature that not every vendor knows', async (model, content) => {
  const client = await aClient(system)
  for (const answer of await callBothWays(client, {
    ...saying('Hello', model),
    stop: ['read'],
    temperature: 1.7,
  }))
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content } })
})

test.each([
  ['vendor_a/atlas-thinker', 'medium', 64],
  ['vendor_b/lyric', 'medium', 64],
  ['vendor_c/prism-pro', 'low', 32],
  ['vendor_c/prism-lite', 'minimal', 64],
  ['vendor_c/prism-lite', 'none', undefined],
] as const)('%s thinks %s, and counts it', async (model, effort, tokens) => {
  const client = await aClient(system)
  const params = { ...saying('Hello', model), reasoning_effort: effort }
  for (const answer of await callBothWays(client, params)) {
    expect(answer.usage?.completion_tokens_details?.reasoning_tokens).toBe(tokens)
    expect(contentOf(answer)).toContain('read "Hello"')
  }
})

test.each(['vendor_a/atlas', 'vendor_c/prism-pro'])('%s answers twice, with likelihoods', async model => {
  const client = await aClient(system)
  const params = { ...saying('Hello', model), n: 2, logprobs: true, top_logprobs: 2 }
  for (const { choices } of await callBothWays(client, params)) {
    expect(choices.map(choice => choice.index)).toEqual([0, 1])
    for (const { logprobs, message } of choices) {
      const tokens = logprobs?.content ?? []
      expect(tokens.map(({ token }) => token).join('')).toBe(message.content)
      expect(tokens[0]?.top_logprobs).toHaveLength(2)
    }
  }
})

test.each([
  ['vendor_b/lyric', 'with its own explanation', 'The simulator was asked to refuse.', {}],
  [
    'vendor_c/prism-pro',
    'by blocking the prompt',
    'The vendor blocked the prompt (PROHIBITED_CONTENT).',
    { completion_tokens: 0 },
  ],
])('%s may refuse, %s, and that is paid', async (model, _how, refusal, usage) => {
  const client = await aClient(system)
  for (const answer of await callBothWays(client, saying('Hello [[fault: refusal]]', model)))
    expect(answer).toMatchObject({
      choices: [{ finish_reason: 'content_filter', message: { refusal } }],
      usage,
    })
  const logs = await logsOf(system, client)
  expect(logs.every(log => log.status === 200 && log.cost_nanos > 0n)).toBe(true)
})

describe.each(chatModels)('%s answers in JSON', model => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string' }, degrees: { type: 'integer', minimum: -90, maximum: 90 } },
    required: ['city', 'degrees'],
    additionalProperties: false,
  }
  const degrees = { ...schema.properties.degrees, type: ['integer', 'null'] }
  const draft = { $schema: 'https://json-schema.org/draft/2020-12/schema' }
  const generated = { ...schema, ...draft, properties: { ...schema.properties, degrees } }
  const bySchema = (wanted: object) => ({
    type: 'json_schema' as const,
    json_schema: { name: 'weather', strict: true, schema: { ...wanted } },
  })
  const weather = { city: expect.any(String), degrees: expect.any(Number) }

  test.each<[string, NonNullable<Params['response_format']>, unknown]>([
    ['by a schema', bySchema(schema), weather],
    ['by a schema as libraries write it', bySchema(generated), weather],
    ['as any object', { type: 'json_object' }, expect.any(Object)],
  ])('%s', async (_how, response_format, expected) => {
    const client = await aClient(system)
    for (const answer of await callBothWays(client, {
      ...saying('Weather as JSON', model),
      response_format,
    })) {
      expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant' } })
      expect(JSON.parse(contentOf(answer))).toEqual(expected)
    }
  })
})

/** The delay of calls that run at the same time. */
const patience = { timeout: 15_000, interval: 25 }

describe.each(vendors)('a client that leaves $model', ({ model, inputNanos, outputNanos }) => {
  test('ends the call of the vendor, and pays for what was produced', async () => {
    const client = await aClient(system)
    system.simulator.change({ chunkDelayMs: 10 })
    const stream = await client.openai.chat.completions.create({
      ...saying('say 500 words', model),
      stream: true,
    })
    let seen = 0
    for await (const _ of stream) if (++seen === 20) break
    await expect.poll(() => system.simulator.calls.at(-1)).toMatchObject({ aborted: true })
    // The first estimate of a process loads its vocabulary.
    await expect.poll(() => logsOf(system, client)).toHaveLength(1)
    const [log] = await logsOf(system, client)
    expect(log).toMatchObject({ status: 499, error_code: 'client_left', usage_estimated: true })
    expect(log?.completion_tokens).toBeGreaterThanOrEqual(15n)
    expect(log?.completion_tokens).toBeLessThan(200n)
    const cost = log?.prompt_tokens * BigInt(inputNanos) + log?.completion_tokens * BigInt(outputNanos)
    expect(log?.cost_nanos).toBe(cost)
    expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({
      credits: 100_000_000_000n - cost,
    })
  })
})

describe('a client that leaves before the vendor begins', () => {
  test.concurrent.each(vendors)(
    'waits for $model: where it never does, nothing is paid',
    async ({ model }) => {
      const client = await aClient(system)
      const leaving = new AbortController()
      const prompt = `Hello ${model} [[fault: hang]]`
      const params = { ...saying(prompt, model), stream: true as const }
      const pending = client.openai.chat.completions.create(params, { signal: leaving.signal })
      const left = expect(pending).rejects.toThrow(/aborted/)
      const { calls } = system.simulator
      const isAsked = () => expect(JSON.stringify(calls)).toContain(prompt)
      await vi.waitFor(isAsked, patience)
      leaving.abort()
      await left
      const isLogged = async () =>
        expect(await logsOf(system, client)).toMatchObject([{ status: 499, cost_nanos: 0n }])
      await vi.waitFor(isLogged, patience)
    },
  )
})
