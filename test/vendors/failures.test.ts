import { describe, expect, test } from 'vitest'
import { aClient, saying } from '../harness/a-client.ts'
import { balanceOf, logsOf } from '../harness/invariants.ts'
import { callBothWays, theVendorsSystem } from './call-both-ways.ts'
import { framesOf } from './read-frames.ts'
import { vendors } from './vendors.ts'

const system = theVendorsSystem()

const untouched = { credits: 100_000_000_000n, in_use: 0n }

/** More answers than a test has failures, second tries included: failures alone would open the breaker. */
async function answersBetween(model: string): Promise<void> {
  const { openai } = await aClient(system)
  const ask = () => openai.chat.completions.create(saying('Are you well?', model))
  await Promise.all(Array.from({ length: 5 }, ask))
}

/** What any vendor may answer or do, and what the client gets. */
const troubles: [fault: string, status: number, code: string][] = [
  ['503', 503, 'upstream_busy'],
  ['529', 503, 'upstream_busy'],
  ['429;ms=17000', 503, 'upstream_busy'],
  ['401', 502, 'upstream_auth'],
  ['403', 502, 'upstream_auth'],
  ['404', 502, 'upstream_auth'],
  ['500', 502, 'upstream_error'],
  ['504', 504, 'upstream_timeout'],
  ['400', 400, 'invalid_request'],
  ['too-long', 400, 'context_length_exceeded'],
  ['garbage;n=0', 502, 'upstream_error'],
]

/** What only some of them say, or say in their own way. */
const ownTroubles: Record<string, typeof troubles> = {
  'vendor_a/atlas': [
    ['402', 502, 'upstream_auth'],
    ['quota', 502, 'upstream_auth'],
    ['405', 502, 'upstream_error'],
    ['hang', 504, 'upstream_timeout'],
    ['error-frame;n=0', 502, 'upstream_error'],
    ['empty', 502, 'upstream_error'],
  ],
  'vendor_b/lyric': [
    ['quota', 502, 'upstream_auth'],
    ['error-frame;n=0', 503, 'upstream_busy'],
  ],
  'vendor_c/prism-pro': [
    ['error-frame;n=0', 503, 'upstream_busy'],
    ['empty', 502, 'upstream_error'],
    ['malformed-call', 502, 'upstream_error'],
  ],
}

describe.each(vendors)('what fails at $model costs nothing', ({ model }) => {
  test.each([...troubles, ...ownTroubles[model]!])('%s', async (fault, status, code) => {
    const client = await aClient(system)
    await answersBetween(model)
    const ask = async (stream: boolean) => {
      const params = { ...saying(`Hello [[fault: ${fault}]]`, model), stream }
      const response = await client.post('/chat/completions', params)
      expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }])
      expect(response.headers.get('retry-after')).toBe(fault.startsWith('429') ? '17' : null)
    }
    await Promise.all([ask(false), ask(true)])
    const log = { status, cost_nanos: 0n }
    expect(await logsOf(system, client)).toMatchObject([log, log])
    expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject(untouched)
  })

  test.each(['error-frame;n=6', 'cut;n=6', 'truncate;n=6', 'stall;n=6', 'garbage;n=6'])(
    '%s in the middle of a stream is an error frame, no [DONE]; what the client got until then is paid',
    async fault => {
      const client = await aClient(system)
      const params = { ...saying(`say 60 words [[fault: ${fault}]]`, model), stream: true }
      const response = await client.post('/chat/completions', params)
      const text = await response.text()
      const frames = framesOf(text)
      expect(response.status).toBe(200)
      expect(text).not.toContain('[DONE]')
      expect(frames.length).toBeGreaterThan(1)
      expect(frames.at(-1)).toHaveProperty('error.type', 'upstream_error')
      expect(frames.some(frame => frame.choices?.[0]?.finish_reason)).toBe(false)
      const [log] = await logsOf(system, client)
      expect(log?.cost_nanos).toBeGreaterThan(0n)
      const credits = untouched.credits - log!.cost_nanos
      expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({ ...untouched, credits })
    },
  )

  test.each(['cut', 'garbage'])('nor does a whole answer with %s', async fault => {
    const client = await aClient(system)
    const response = await client.post('/chat/completions', saying(`Hello [[fault: ${fault}]]`, model))
    expect([response.status, await response.json()]).toMatchObject([
      502,
      { error: { code: 'upstream_error' } },
    ])
    expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject(untouched)
  })

  test('nor does an answer without text', async () => {
    const client = await aClient(system)
    await callBothWays(client, saying('Hello [[fault: blank]]', model))
    expect((await logsOf(system, client)).map(log => log.cost_nanos)).toEqual([0n, 0n])
  })
})

test('what a vendor does not take is named before it is called, and costs nothing', async () => {
  const client = await aClient(system)
  const body = { ...saying('Hi', 'vendor_c/prism-lite'), response_format: { type: 'json_object' } }
  for (const stream of [false, true]) {
    const tools = [{ type: 'function', function: { name: 'f' } }]
    const response = await client.post('/chat/completions', { ...body, tools, stream })
    const error = { type: 'invalid_request_error', param: 'response_format' }
    expect([response.status, await response.json()]).toMatchObject([400, { code: 400, error }])
  }
  expect(system.simulator.calls).toEqual([])
  expect((await logsOf(system, client)).every(log => log.cost_nanos === 0n)).toBe(true)
})
