import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { aByokSystem } from '../harness/a-byok-system.ts'
import { aClient, saying, type TestClient } from '../harness/a-client.ts'
import type { EdgeSystem } from '../harness/an-edge.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { forThisTest, perFile } from '../harness/per-file.ts'

const system = perFile(aByokSystem)

beforeAll(async () => {
  await changeModels(system, {
    // Every call of an upstream model with a fault in its name has that fault.
    'vendor_a/atlas-nano': { fallbacks: ['chat.atlas-thinker', 'chat.lyric'], upstream: 'atlas-nano@503' },
    'vendor_a/atlas-mini': { fallbacks: ['chat.atlas-thinker'], upstream: 'atlas-mini@503' },
    'vendor_a/atlas-thinker': { fallbacks: [], refused: ['seed'] },
  })
})
// Answers between the failures: those alone would open the breaker of the platform's credential.
beforeEach(async () => {
  const client = await aClient(system)
  for (let good = 0; good < 8; good++) await client.post('/chat/completions', saying('Hi'))
  system.simulator.reset()
})
afterEach(() => expectLedgerToBalance(system.context.sql))

interface Change {
  fallbacks: string[]
  /** The vendor's name for it. */
  upstream?: string
  /** Parameters that it does not take. */
  refused?: string[]
}

/** Changes models of the catalogue, as an operator does; resolves when the edge has seen it. */
async function changeModels(
  { context: { sql } }: EdgeSystem,
  changes: Record<string, Change>,
): Promise<void> {
  const changed = Object.entries(changes).map(([model, { fallbacks, upstream, refused }]) => {
    const change = JSON.stringify({ fallbacks })
    return sql`
      update models set data = data || ${change}::text::jsonb
        || jsonb_build_object('upstream', data->'upstream' || ${JSON.stringify(upstream ? { model: upstream } : {})}::text::jsonb)
        || jsonb_build_object('chat', data->'chat' || ${JSON.stringify(refused ? { refused_parameters: refused } : {})}::text::jsonb)
      where model = ${model}`
  })
  await Promise.all(changed)
  await sql`update catalogue_state set revision = revision + 1`
  await new Promise(resolve => setTimeout(resolve, 1_300))
}

async function logOf({ accountId }: TestClient) {
  const logs = await system.context.sql`select * from request_logs where account_id = ${accountId}`
  expect(logs).toHaveLength(1)
  return logs[0]!
}

describe('second tries', () => {
  test.each([false, true])(
    'a vendor that stumbles once is asked again before the first byte (stream: %s)',
    async stream => {
      const client = await aClient(system)
      const body = { ...saying(`Hi [[fault: flaky;n=1;status=500;key=retry-${stream}]]`), stream }
      const response = await client.post('/chat/completions', body)
      expect(response.status).toBe(200)
      await response.text()
      expect(system.simulator.calls).toHaveLength(2)
      expect(await logOf(client)).toMatchObject({ status: 200 })
    },
  )

  test('a short Retry-After is waited for, a long one is passed on', async () => {
    const client = await aClient(system)
    const startedAt = Date.now()
    await client.post('/chat/completions', saying('Hi [[fault: 429;ms=1000]]'))
    expect(Date.now() - startedAt).toBeGreaterThan(900)
    expect(system.simulator.calls).toHaveLength(2)
    system.simulator.reset()
    const response = await client.post('/chat/completions', saying('Hi [[fault: 429;ms=9000]]'))
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('9')
    expect(system.simulator.calls).toHaveLength(1)
  })
})

test('a vendor that is down is left alone for a while, other credentials are not; it is found well by itself', async () => {
  const down = forThisTest(await aByokSystem())
  const client = await aClient(down)
  const owner = await aClient(down)
  await down.aCredential(owner, 'sim-own')
  const statuses = []
  for (let request = 0; request < 40; request++) {
    statuses.push((await client.post('/chat/completions', saying('Hi [[fault: 500]]'))).status)
  }
  expect(statuses.slice(0, 5)).toEqual([502, 502, 502, 502, 502])
  // On a slow machine, a few of the 40 requests find the breaker half open and are sent.
  const { length: sent } = down.simulator.calls
  expect(sent).toBeLessThanOrEqual(20)
  expect(statuses.filter(status => status === 503).length).toBeGreaterThanOrEqual(40 - sent)

  const refused = await client.post('/chat/completions', saying('Hi'))
  expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([503, 1])
  expect((await owner.post('/chat/completions', saying('Hi'))).status).toBe(200)
  expect((await client.post('/chat/completions', saying('Hi', 'vendor_b/lyric'))).status).toBe(200)

  await vi.waitFor(
    async () => expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(200),
    { timeout: 5_000, interval: 200 },
  )
})

describe('a model that cannot answer', () => {
  const pricesNanos: Record<string, [input: bigint, output: bigint]> = {
    'vendor_a/atlas-thinker': [1_100n, 4_400n],
    'vendor_b/lyric': [3_000n, 15_000n],
  }

  /** Header and body name the model that answered, and the client is charged its prices. */
  async function expectAnsweredBy(model: string, client: TestClient, response: Response): Promise<void> {
    expect(response.status).toBe(200)
    expect(response.headers.get('x-model')).toBe(model)
    expect(await response.text()).toContain(`"model":"${model}"`)
    const log = await logOf(client)
    const vendor = model.split('/')[0]
    expect(log).toMatchObject({ model: 'vendor_a/atlas-nano', answered_by: model, vendor, status: 200 })
    const [inputNanos, outputNanos] = pricesNanos[model]!
    expect(log.cost_nanos).toBe(log.prompt_tokens * inputNanos + log.completion_tokens * outputNanos)
  }

  test.each([false, true])(
    'is answered for by its fallback: billed as that one, named in x-model (stream: %s)',
    async stream => {
      const client = await aClient(system)
      const asked = { ...saying('Hi', 'vendor_a/atlas-nano'), stream }
      const response = await client.post('/chat/completions', asked)
      await expectAnsweredBy('vendor_a/atlas-thinker', client, response)
    },
  )

  test('is answered for by the next fallback that its key may call', async () => {
    const client = await aClient(system, { allowedModels: ['vendor_a/atlas-nano', 'vendor_b/*'] })
    const response = await client.post('/chat/completions', saying('Hi', 'vendor_a/atlas-nano'))
    await expectAnsweredBy('vendor_b/lyric', client, response)
  })

  test("the account's own credential comes first for each model in turn, and where it answers nothing is charged", async () => {
    const client = await aClient(system)
    await system.aCredential(client, 'sim-bad-own')
    const { id } = await system.aCredential(client, 'sim-own-b', { provider: 'vendor_b' })
    const asked = { ...saying('Hi', 'vendor_a/atlas-nano'), seed: 5 }
    const response = await client.post('/chat/completions', asked)
    expect(response.headers.get('x-model')).toBe('vendor_b/lyric')
    const keys = system.usedKeys()
    expect([keys[0], keys[1], keys.at(-1)]).toEqual(['sim-bad-own', 'sim-platform-key', 'sim-own-b'])
    expect(await logOf(client)).toMatchObject({
      answered_by: 'vendor_b/lyric',
      byok_id: id,
      cost_nanos: 0n,
      status: 200,
    })
  })

  test('where own credentials fail, the fallback is charged', async () => {
    const client = await aClient(system)
    await system.aCredential(client, 'sim-bad-own')
    const response = await client.post('/chat/completions', saying('Hi', 'vendor_a/atlas-nano'))
    await expectAnsweredBy('vendor_a/atlas-thinker', client, response)
    expect(await logOf(client)).toMatchObject({ byok_id: null })
  })
})
