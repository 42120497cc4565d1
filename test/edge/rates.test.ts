import { describe, expect, test } from 'vitest'
import { aClient, saying, type TestClient } from '../harness/a-client.ts'
import { anEdgeSystem, theEdgeSystem } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

const metered = perFile(anEdgeSystem)

const ask = { ...saying('Hi'), max_tokens: 500 }

describe.each([
  ['an hour', { tph: 2_000 }, '3600s', 'rate_limit_tph: 2000 tokens per hour'],
  ['a day', { tpd: 2_000 }, '86400s', 'rate_limit_tpd: 2000 tokens per day'],
])('tokens of %s', (_, limit, reset, words) => {
  test('are taken by estimate, told in the headers, and corrected once they are known', async () => {
    const client = await aClient(metered, limit)
    const answer = await client.post('/chat/completions', ask)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-ratelimit-limit-tokens')).toBe('2000')
    expect(answer.headers.get('x-ratelimit-reset-tokens')).toBe(reset)
    const estimated = 2_000 - tokensLeft(answer)
    expect(estimated).toBeGreaterThan(500)
    expect(estimated).toBeLessThan(550)
    const { usage } = await answer.json()
    expect(usage.total_tokens).toBeLessThan(estimated)
    await expect.poll(() => leftOf(client)).toBe(2_000 - usage.total_tokens)
  })

  test('are corrected after a stream', async () => {
    const client = await aClient(metered, limit)
    const stream = await client.post('/chat/completions', { ...ask, stream: true })
    const total = Number(/"total_tokens":(\d+)/.exec(await stream.text())?.[1])
    await expect.poll(() => leftOf(client)).toBe(2_000 - total)
  })

  test('that are not there now are refused until they are, without being taken', async () => {
    const client = await aClient(metered, limit)
    expect((await client.post('/chat/completions', ask)).status).toBe(200)
    const before = await leftOf(client)
    const refused = await client.post('/chat/completions', { ...ask, max_tokens: 1_980 })
    expect(refused.status).toBe(429)
    const waitSeconds = Number(refused.headers.get('retry-after'))
    expect(waitSeconds).toBeGreaterThan(Number.parseInt(reset, 10) - 1)
    expect(waitSeconds).toBeLessThanOrEqual(Number.parseInt(reset, 10))
    expect(refused.headers.get('x-should-retry')).toBe('false')
    expect(await refused.json()).toMatchObject({
      error: { code: 'rate_limit_exceeded', message: expect.stringContaining(words) },
    })
    expect(await leftOf(client)).toBe(before)
  })

  test('that a whole window does not have are a 400: no waiting would help', async () => {
    const client = await aClient(metered, limit)
    const refused = await client.post('/chat/completions', { ...ask, max_tokens: 2_500 })
    expect(refused.status).toBe(400)
    expect(refused.headers.get('retry-after')).toBeNull()
    const message = expect.stringMatching(new RegExp(`${words.split(':')[0]}.*max_tokens`))
    expect(await refused.json()).toMatchObject({ error: { code: 'tokens_exceed_rate_limit', message } })
    expect(tokensLeft(refused)).toBe(2_000)
    expect((await client.post('/chat/completions', ask)).status).toBe(200)
  })

  test('of a request that fails, or has no money, are given back', async () => {
    const client = await aClient(metered, limit)
    const failed = await client.post('/chat/completions', {
      ...saying('Hi [[fault: status;status=400]]'),
      max_tokens: 500,
    })
    expect(failed.status).not.toBe(200)
    const poor = await aClient(metered, { ...limit, creditNanos: 0n })
    expect((await poor.post('/chat/completions', ask)).status).toBe(402)
    for (const who of [client, poor]) await expect.poll(() => leftOf(who)).toBe(2_000)
  })
})

/** The tokens that a key has left, read with a request that exceeds a whole window and so consumes none. */
async function leftOf(client: TestClient): Promise<number> {
  return tokensLeft(await client.post('/chat/completions', { ...ask, max_tokens: 2_500 }))
}

function tokensLeft({ headers }: Response): number {
  return Number(headers.get('x-ratelimit-remaining-tokens'))
}

describe('the default of 20 new requests in 10 seconds', () => {
  const system = theEdgeSystem({ RATE_REQUESTS: '' }) // the default

  test('lets twenty in, each told what is left; the next is a 429 with Retry-After; another key is not concerned', async () => {
    const client = await aClient(system)
    for (let left = 19; left >= 0; left--) {
      const answer = await client.post('/chat/completions', saying('Hi'))
      expect(answer.status).toBe(200)
      expect(rateOf(answer)).toEqual({ limit: '20', remaining: String(left), reset: '10s' })
    }
    const refused = await client.post('/chat/completions', saying('Hi'))
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({ code: 429, error: { code: 'rate_limit_exceeded' } })
    expect(refused.headers.get('retry-after')).toMatch(/^([1-9]|10|11)$/)
    expect(rateOf(refused)).toEqual({ limit: '20', remaining: '0', reset: '10s' })
    expect((await (await aClient(system)).post('/chat/completions', saying('Hi'))).status).toBe(200)
  })
})

describe('an answer to what is no request', () => {
  const system = theEdgeSystem({ RATE_REQUESTS: '20', BODY_LIMIT_BYTES: '1024' })

  const ended: [string, status: number, body: unknown, headers?: Record<string, string>][] = [
    ['a body that is no JSON', 400, '{'],
    ['a parameter that is missing', 400, {}],
    ['a model that is not there', 404, saying('Hi', 'vendor_a/no-such-model')],
    ['a body that is too large', 413, saying('a'.repeat(2_000))],
    ['a body that is compressed', 415, saying('Hi'), { 'content-encoding': 'gzip' }],
  ]
  test.each(ended)('%s counts as a request, and tells what is left', async (_, status, body, headers) => {
    const client = await aClient(system, { rpm: 60, tph: 5_000, tpd: 90_000 })
    const answer = await client.post('/chat/completions', body, headers)
    expect(answer.status).toBe(status)
    expect(rateOf(answer)).toEqual({ limit: '20', remaining: '19', reset: '10s' })
    expect(rateOf(answer, 'tokens')).toEqual({ limit: '5000', remaining: '5000', reset: '3600s' })
    const next = await client.post('/chat/completions', saying('Hi'))
    expect(rateOf(next)).toEqual({ limit: '20', remaining: '18', reset: '10s' })
  })

  test('another body under the same Idempotency-Key tells what is left', async () => {
    const client = await aClient(system)
    const under = { 'idempotency-key': 'one' }
    await client.post('/chat/completions', saying('Hi'), under)
    const conflict = await client.post('/chat/completions', saying('Ho'), under)
    expect(conflict.status).toBe(409)
    expect(rateOf(conflict)).toEqual({ limit: '20', remaining: '18', reset: '10s' })
  })

  test('so does one of a key that may not be used', async () => {
    const disabled = await aClient(system, { disabled: true })
    const elsewhere = await aClient(system, { ipWhitelist: ['10.0.0.0/8'] })
    for (const client of [disabled, elsewhere]) {
      const answer = await client.post('/chat/completions', saying('Hi'))
      expect(answer.status).toBe(403)
      expect(rateOf(answer)).toEqual({ limit: '20', remaining: null, reset: '10s' })
    }
  })

  test('a key that nobody knows, or that was revoked, is told nothing', async () => {
    const revoked = await aClient(system)
    await system.context.sql`update api_keys set revoked_at = now() where id = ${revoked.keyId}`
    for (const text of [revoked.text, `sk-rb-${'a'.repeat(12)}-${'b'.repeat(48)}`]) {
      const answer = await fetch(`${system.baseURL}/models`, { headers: { authorization: `Bearer ${text}` } })
      expect(answer.status).toBe(401)
      expect([...answer.headers.keys()].filter(name => name.startsWith('x-ratelimit'))).toEqual([])
    }
  })
})

function rateOf({ headers }: Response, of: 'requests' | 'tokens' = 'requests') {
  const figure = (name: string) => headers.get(`x-ratelimit-${name}-${of}`)
  return { limit: figure('limit'), remaining: figure('remaining'), reset: figure('reset') }
}
