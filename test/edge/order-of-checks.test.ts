import { describe, expect, test } from 'vitest'
import { aClient, type TestClient } from '../harness/a-client.ts'
import { theEdgeSystem } from '../harness/an-edge.ts'

const system = theEdgeSystem()

const past = () => new Date(Date.now() - 1_000)
const elsewhere = ['10.0.0.0/8']
const unknownModel = 'vendor_a/no-such-model'

/** A request with a prompt, in the words of each protocol. */
const protocols: [path: string, asking: (model: string) => object][] = [
  ['/chat/completions', model => ({ model, messages: [{ role: 'user', content: 'Hi' }] })],
  ['/responses', model => ({ model, input: 'Hi' })],
]

describe.each(protocols)('of two faults the first in the order of checks is told: %s', (path, asking) => {
  const good = asking('vendor_a/atlas')
  const bad = { ...asking(unknownModel), temperature: 'hot' }
  type Options = Parameters<typeof aClient>[1]

  const pairs: [string, Options, body: object, status: number, code: string][] = [
    ['expired, and a bad body', { expiresAt: past() }, bad, 403, 'key_expired'],
    ['disabled, and from elsewhere', { disabled: true, ipWhitelist: elsewhere }, good, 403, 'key_disabled'],
    ['expired, and from elsewhere', { expiresAt: past(), ipWhitelist: elsewhere }, good, 403, 'key_expired'],
    ['from elsewhere, and a bad body', { ipWhitelist: elsewhere }, bad, 403, 'ip_not_allowed'],
    ['a bad body, and an unknown model', {}, bad, 400, 'invalid_request'],
    [
      'an unknown model, and an empty balance',
      { creditNanos: 0n },
      asking(unknownModel),
      404,
      'model_not_found',
    ],
  ]
  test.each(pairs)('%s', async (_, options, body, status, code) => {
    expect(await told(await aClient(system, options), body)).toEqual({ status, code })
  })

  test('a wrong content type, and a disabled key', async () => {
    const client = await aClient(system, { disabled: true })
    const answer = await client.post(path, good, { 'content-type': 'text/plain' })
    expect(await answer.json()).toEqual({ code: 401, msg: 'You do not have access permissions' })
  })

  test.each([
    ['an unknown model', asking(unknownModel), 404, 'model_not_found'],
    ['a bad body', bad, 400, 'invalid_request'],
  ])('a rate of requests that is used up, also by such requests, and %s', async (_, body, status, code) => {
    const client = await aClient(system, { rpm: 1 })
    expect(await told(client, body)).toEqual({ status, code })
    for (const next of [body, good]) {
      expect(await told(client, next)).toEqual({ status: 429, code: 'rate_limit_exceeded' })
    }
  })

  test('an unknown model, and tokens that are used up', async () => {
    const client = await aClient(system, { tpd: 1 })
    expect(await told(client, asking(unknownModel))).toEqual({ status: 404, code: 'model_not_found' })
    expect(await told(client, good)).toEqual({ status: 400, code: 'tokens_exceed_rate_limit' })
  })

  test.each([
    ['an empty balance', { creditNanos: 0n }, 'insufficient_credits'],
    ['a cap that is used up', { limitNanos: 1n }, 'credit_limit_reached'],
  ])('a rate that is used up, and %s', async (_, options, code) => {
    const client = await aClient(system, { ...options, rpm: 1 })
    expect(await told(client, good)).toEqual({ status: 402, code })
    expect(await told(client, good)).toEqual({ status: 429, code: 'rate_limit_exceeded' })
  })

  async function told(client: TestClient, body: object) {
    const answer = await client.post(path, body)
    const { error } = await answer.json()
    return { status: answer.status, code: error?.code }
  }
})
