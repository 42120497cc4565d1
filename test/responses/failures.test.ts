import { afterEach, describe, expect, test } from 'vitest'
import { aClient } from '../harness/a-client.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { balanceOf, expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { eventsOf, readEvents } from './read-events.ts'

const model = 'vendor_a/atlas'

const system = perFile(() =>
  anEdgeSystem({ IDLE_TIMEOUT_MS: '500', FIRST_BYTE_TIMEOUT_MS: '1500' }, { limits: { keepAliveMs: 1_000 } }),
)
afterEach(() => expectLedgerToBalance(system.context.sql))

describe('a request that fails before its answer keeps its HTTP status, whole and streamed', () => {
  const search = { type: 'web_search' }
  const now = { type: 'function', name: 'now', strict: true, parameters: { type: 'object', properties: {} } }
  const file = [{ role: 'user', content: [{ type: 'input_image', image_url: 'file:///etc/passwd' }] }]
  const output = [{ type: 'function_call_output', call_id: 'x', output: '' }]
  const named = [search, { type: 'function', name: 'a.b' }]
  const earlier = { previous_response_id: 'resp_1' }
  const cases: [string, object, number, string, string | null][] = [
    ['an earlier response', earlier, 400, 'previous_response_not_found', 'previous_response_id'],
    ['an unknown model', { model: 'vendor_a/none' }, 404, 'model_not_found', 'model'],
    ['a model that does not chat', { model: 'vendor_n/herald' }, 404, 'model_not_found', 'model'],
    ['an output without a call', { input: output }, 400, 'invalid_request', 'input[0].call_id'],
    ['the vendor is down', { input: 'Hi [[fault: 500]]' }, 502, 'upstream_error', null],
    ['it is too long', { input: 'Hi [[fault: too-long]]' }, 400, 'context_length_exceeded', 'input'],
    ['the name of a tool', { tools: named }, 400, 'invalid_request', 'tools[1].name'],
    ['the schema', { tools: [search, now] }, 400, 'invalid_function_parameters', 'tools[1].parameters'],
    ['an image', { input: file }, 400, 'invalid_value', 'input[0].content[0].image_url'],
  ]
  test.each(cases)('%s', async (_, fields, status, code, param) => {
    const client = await aClient(system)
    for (const stream of [false, true]) {
      const response = await client.post('/responses', { model, input: 'Hi', ...fields, stream })
      const body = await response.json()
      expect(body).toMatchObject({ code: status, error: { code, param } })
      expect(response.status).toBe(status)
    }
    expect((await balanceOf(system.context.sql, client.accountId)).credits).toBe(100_000_000_000n)
  })
})

test('a vendor that never begins: the stream, opened meanwhile, ends in error and response.failed', async () => {
  const client = await aClient(system)
  const request = { model, input: 'Hi [[fault: hang]]', stream: true }
  const response = await client.post('/responses', request)
  const events = readEvents(await response.text())
  expect(events.slice(0, 3).map(event => event.type)).toEqual([
    'response.created',
    'response.in_progress',
    'response.in_progress',
  ])
  expect(events.at(-2)).toMatchObject({ type: 'error', code: 'upstream_timeout' })
  expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { output: [] } })
  const [log] = await logsOf(system, client)
  expect(log).toMatchObject({ status: 504, cost_nanos: 0n })
})

test.each(['cut;n=3', 'truncate;n=3', 'stall;n=3', 'garbage;n=3', 'error-frame;n=3'])(
  'a stream that breaks (%s) has an error, then response.failed, and what was produced is charged',
  async fault => {
    const client = await aClient(system)
    const input = `say 60 words [[fault: ${fault}]]`
    const events = readEvents(await (await client.post('/responses', { model, input, stream: true })).text())
    expect(events.slice(-2).map(event => event.type)).toEqual(['error', 'response.failed'])
    expect(eventsOf(events, 'error')[0]?.error.type).toBe('upstream_error')
    expect(eventsOf(events, 'response.output_item.done')).toEqual([])
    const [log] = await logsOf(system, client)
    expect(log).toMatchObject({ route: 'responses', usage_estimated: true })
    expect(log?.cost_nanos).toBeGreaterThan(0n)
    expect(log?.status).toBeGreaterThanOrEqual(500)
    expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({
      credits: 100_000_000_000n - log?.cost_nanos,
      in_use: 0n,
    })
  },
)
