import { describe, expect, test } from 'vitest'
import { aClient, saying, type TestClient } from '../harness/a-client.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(anEdgeSystem)

const ask = { ...saying('Hi'), max_tokens: 500 }

describe.each([
  ['an hour', { tph: 2_000 }, '3600s', 'rate_limit_tph: 2000 tokens per hour'],
  ['a day', { tpd: 2_000 }, '86400s', 'rate_limit_tpd: 2000 tokens per day'],
])('tokens of %s', (_, limit, reset, words) => {
  test('are taken by estimate, told in the headers, and corrected once they are known', async () => {
    const client = await aClient(system, limit)
    const answer = await client.post('/chat/completions', ask)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-ratelimit-limit-tokens')).toBe('2000')
    expect(answer.headers.get('x-ratelimit-reset-tokens')).toBe(reset)
    const estimated = 2_000 - remainingOf(answer)
    expect(estimated).toBeGreaterThan(500)
    expect(estimated).toBeLessThan(550)
    const { usage } = await answer.json()
    expect(usage.total_tokens).toBeLessThan(estimated)
    await expect.poll(() => left(client)).toBe(2_000 - usage.total_tokens)
  })

  test('are corrected after a stream', async () => {
    const client = await aClient(system, limit)
    const stream = await client.post('/chat/completions', { ...ask, stream: true })
    const total = Number(/"total_tokens":(\d+)/.exec(await stream.text())?.[1])
    await expect.poll(() => left(client)).toBe(2_000 - total)
  })

  test('that are not there now are refused until they are, without being taken', async () => {
    const client = await aClient(system, limit)
    expect((await client.post('/chat/completions', ask)).status).toBe(200)
    const before = await left(client)
    const refused = await client.post('/chat/completions', { ...ask, max_tokens: 1_980 })
    expect(refused.status).toBe(429)
    const waitSeconds = Number(refused.headers.get('retry-after'))
    expect(waitSeconds).toBeGreaterThan(Number.parseInt(reset, 10) - 1)
    expect(waitSeconds).toBeLessThanOrEqual(Number.parseInt(reset, 10))
    expect(refused.headers.get('x-should-retry')).toBe('false')
    expect(await refused.json()).toMatchObject({
      error: { code: 'rate_limit_exceeded', message: expect.stringContaining(words) },
    })
    expect(await left(client)).toBe(before)
  })

  test('that a whole window does not have are a 400: no waiting would help', async () => {
    const client = await aClient(system, limit)
    const refused = await client.post('/chat/completions', { ...ask, max_tokens: 2_500 })
    expect(refused.status).toBe(400)
    expect(refused.headers.get('retry-after')).toBeNull()
    const message = expect.stringMatching(new RegExp(`${words.split(':')[0]}.*max_tokens`))
    expect(await refused.json()).toMatchObject({ error: { code: 'tokens_exceed_rate_limit', message } })
    expect(remainingOf(refused)).toBe(2_000)
    expect((await client.post('/chat/completions', ask)).status).toBe(200)
  })

  test('of a request that fails, or has no money, are given back', async () => {
    const client = await aClient(system, limit)
    const failed = await client.post('/chat/completions', {
      ...saying('Hi [[fault: status;status=400]]'),
      max_tokens: 500,
    })
    expect(failed.status).not.toBe(200)
    const poor = await aClient(system, { ...limit, creditNanos: 0n })
    expect((await poor.post('/chat/completions', ask)).status).toBe(402)
    for (const who of [client, poor]) await expect.poll(() => left(who)).toBe(2_000)
  })
})

/** The tokens that a key has left, read with a request that exceeds a whole window and so consumes none. */
async function left(client: TestClient): Promise<number> {
  return remainingOf(await client.post('/chat/completions', { ...ask, max_tokens: 2_500 }))
}

function remainingOf({ headers }: Response): number {
  return Number(headers.get('x-ratelimit-remaining-tokens'))
}
