import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { ResponseBody } from '../../schema/wire/responses/response.ts'
import { aClient } from '../harness/a-client.ts'
import { theEdgeSystem } from '../harness/an-edge.ts'
import { balanceOf, logsOf } from '../harness/invariants.ts'
import { eventsOf, expectOrder, readEvents } from './read-events.ts'

const model = 'vendor_a/atlas'
const isResponse = new Ajv({ strict: false }).compile(ResponseBody)

const system = theEdgeSystem({}, { keepAliveMs: 150 })

test('whole: every field that the protocol has, named after its request', async () => {
  const client = await aClient(system)
  const { data, response } = await client.openai.responses
    .create({ model, input: 'Hello there', instructions: 'Be brief', metadata: { purpose: 'test' } })
    .withResponse()
  const { output_text, ...body } = data
  expect(isResponse(body), JSON.stringify(isResponse.errors)).toBe(true)
  expect(output_text).toContain('Hello there')
  expect(body).toMatchObject({
    id: response.headers.get('x-request-id')?.replace('req_', 'resp_'),
    status: 'completed',
    model,
    instructions: 'Be brief',
    metadata: { purpose: 'test' },
    store: false,
  })
})

test('streamed: the events in their order, and the SDK parses the same', async () => {
  const client = await aClient(system)
  const request = { model, input: 'say 40 words', stream: true }
  const reply = await client.post('/responses', request)
  expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const text = await reply.text()
  expect(text).not.toContain('[DONE]')
  const response = expectOrder(readEvents(text))
  expect(isResponse(response)).toBe(true)

  const stream = await client.openai.responses.create({ ...request, stream: true })
  const deltas: string[] = []
  for await (const event of stream) if (event.type === 'response.output_text.delta') deltas.push(event.delta)
  const final = await client.openai.responses.stream({ model, input: 'say 40 words' }).finalResponse()
  expect(deltas.length).toBeGreaterThan(20)
  expect(final.output_text).toBe(deltas.join(''))
  expect(final.usage).toEqual(response.usage)
})

test.each(['slow;ms=500', 'trickle;ms=400'])(
  'sent again under an Idempotency-Key, a stream that was kept alive (%s) is the same, numbered without gaps',
  async fault => {
    const client = await aClient(system)
    const body = { model, input: `say 3 words [[fault: ${fault}]]`, stream: true }
    const texts: string[] = []
    for (let turn = 0; turn < 2; turn++) {
      const response = await client.post('/responses', body, { 'idempotency-key': fault })
      expect(response.headers.get('idempotent-replayed')).toBe(turn === 0 ? null : 'true')
      texts.push(await response.text())
      const events = readEvents(texts[turn]!)
      expect(eventsOf(events, 'response.in_progress').length).toBeGreaterThan(2)
      expectOrder(events)
    }
    expect(texts[1]).toBe(texts[0])
  },
)

test('costs and is logged as the same chat is', async () => {
  const client = await aClient(system)
  const messages = [
    { role: 'system' as const, content: 'Be brief' },
    { role: 'user' as const, content: 'Hello there' },
  ]
  for (const stream of [false, true]) {
    await (await client.post('/chat/completions', { model, messages, stream, user: 'someone' })).text()
    const request = { model, instructions: 'Be brief', input: 'Hello there', stream, user: 'someone' }
    await (await client.post('/responses', request)).text()
  }
  const logs = await logsOf(system, client)
  expect(logs.map(log => log.route)).toEqual([
    'chat.completions',
    'responses',
    'chat.completions',
    'responses',
  ])
  const [chat, whole, chatStream, stream] = logs.map(
    ({
      prompt_tokens,
      completion_tokens,
      cost_nanos,
      cost_terms,
      status,
      streamed,
      end_user,
      usage_estimated,
    }) => ({
      ...{ prompt_tokens, completion_tokens, cost_nanos, cost_terms },
      ...{ status, streamed, end_user, usage_estimated },
    }),
  )
  expect(whole).toEqual(chat)
  expect(stream).toEqual(chatStream)
  const spent = logs.reduce((sum, log) => sum + log.cost_nanos, 0n)
  expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({
    credits: 100_000_000_000n - spent,
    in_use: 0n,
  })
})
