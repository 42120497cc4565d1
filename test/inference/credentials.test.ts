import { afterEach, beforeEach, expect, test } from 'vitest'
import { aByokSystem } from '../harness/a-byok-system.ts'
import { aClient, saying } from '../harness/a-client.ts'
import { aSettingsFile } from '../harness/a-context.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { forThisTest, perFile } from '../harness/per-file.ts'

const pool = [
  { name: 'east', api_key: 'sim-east' },
  { name: 'west', api_key: 'sim-west' },
  // Refused by the vendor, and heavy enough to be chosen first.
  { name: 'wrong', api_key: 'sim-bad-key', weight: 1_000_000, models: ['atlas-mini'] },
]
const system = perFile(() =>
  aByokSystem({ VENDOR_A_API_KEY: '', VENDOR_CREDENTIALS_FILE: aSettingsFile({ vendor_a: pool }) }),
)
beforeEach(() => system.simulator.reset())
afterEach(() => expectLedgerToBalance(system.context.sql))

test('a refused credential is followed by the next one, and pauses; the log names both', async () => {
  const client = await aClient(system)
  const ask = () => client.post('/chat/completions', saying('Hi', 'vendor_a/atlas-mini'))
  expect((await ask()).status).toBe(200)
  expect((await ask()).status).toBe(200)
  expect(system.usedKeys().map(key => key === 'sim-bad-key')).toEqual([true, false, false])
  const { sql } = system.context
  const logs = await sql`
    select attempts::json as attempts from request_logs where account_id = ${client.accountId} order by created_at`
  const good = { credentialId: null, credentialName: expect.stringMatching('east|west'), status: 200 }
  expect(logs).toMatchObject([
    { attempts: [{ credentialName: 'wrong', status: 401, error: 'auth' }, good] },
    { attempts: [good] },
  ])
  expect(JSON.stringify(logs)).not.toContain('sim-')
})

test.each([
  ['prompt_cache_key', (name: string) => ({ body: { prompt_cache_key: name } })],
  ['the header session-id', (name: string) => ({ headers: { 'session-id': name } })],
  ['user', (name: string) => ({ body: { user: name } })],
])('a conversation by %s keeps its credential', async (_, partsOf) => {
  const client = await aClient(system)
  const keysOf = async (name: string) => {
    system.simulator.reset()
    const { body, headers }: { body?: object; headers?: Record<string, string> } = partsOf(name)
    for (let turn = 0; turn < 4; turn++)
      await client.post('/chat/completions', { ...saying('Hi'), ...body }, headers)
    return new Set(system.usedKeys())
  }
  const names = Array.from({ length: 8 }, (_each, index) => `conversation ${index}`)
  const used = []
  for (const name of names) used.push(await keysOf(name))
  expect(used.map(keys => keys.size)).toEqual(names.map(() => 1))
  expect(new Set(used.flatMap(keys => [...keys])).size).toBe(2)
})

test('at the limits of every credential, the model that follows serves, or the request fails with 503', async () => {
  const limited = forThisTest(
    await anEdgeSystem({
      VENDOR_A_API_KEY: '',
      VENDOR_CREDENTIALS_FILE: aSettingsFile({
        vendor_a: [{ name: 'slow', api_key: 'sim-slow', requests_per_minute: 1 }],
      }),
    }),
  )
  const client = await aClient(limited)
  const ask = async (fields: object = {}) => {
    const response = await client.post('/chat/completions', { ...saying('Hi'), ...fields })
    return [response.status, response.headers.get('retry-after') !== null]
  }
  expect((await ask())[0]).toBe(200)
  await ask() // Refused too, unless a minute of the clock has just begun.
  limited.simulator.reset()
  expect(await ask()).toEqual([503, true])
  expect(limited.simulator.calls).toEqual([])
  expect(await ask({ models: ['vendor_b/lyric'] })).toEqual([200, false])
})
