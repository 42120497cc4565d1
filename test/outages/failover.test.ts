import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { closeContext, openContext } from '../../domain/context.ts'
import { reconcileAll } from '../../domain/ledger/reconcile.ts'
import { migrate } from '../../platform/migrations/migrate.ts'
import { openPostgres } from '../../platform/postgres/open-postgres.ts'
import { describeLostCommits } from '../../platform/postgres/warn-of-lost-commits.ts'
import { aClient, saying } from '../harness/a-client.ts'
import { aConfig, type TestSystem } from '../harness/a-context.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { chargedRequests } from '../harness/ledger/charged-requests.ts'
import { perFile } from '../harness/per-file.ts'
import { aPostgresPair } from '../harness/postgres/a-postgres-pair.ts'

/** Maximum time from the promotion of a standby to the next answer, in milliseconds (docs/operations.md, Standby). */
const maxOutageMs = 5_000

const pair = perFile(aPostgresPair)
const system = perFile(() => anEdgeSystem({}, { openSystem }))

async function openSystem(env: Record<string, string> = {}): Promise<TestSystem> {
  const { url } = pair
  const config = aConfig({ DATABASE_URL: url, ...env })
  const context = openContext(config, { name: 'test' })
  await migrate(url, new URL('../../schema', import.meta.url).pathname)
  const database = { url, sql: context.sql, close: async () => {} }
  return { config, context, database, close: () => closeContext(context) }
}

/** The IDs of requests whose answer was delivered. */
const answered = new Set<string>()
let stopping = false
let load: Promise<unknown>

beforeAll(async () => {
  const client = await aClient(system)
  const send = async (stream: boolean) => {
    while (!stopping) {
      const response = await client.post('/chat/completions', { ...saying('say 20 words'), stream })
      const text = await response.text()
      const id = response.headers.get('x-request-id') ?? ''
      if (response.status === 200) answered.add(id)
      else expect([id, response.status, text]).toEqual([id, 503, text])
    }
  }
  load = Promise.all(Array.from({ length: 8 }, (_, at) => send(at % 2 === 1)))
  load.catch(() => {}) // reported at the end
}, 90_000)

afterAll(async () => {
  stopping = true
  await load
})

function moreAnswers(): Promise<void> {
  const before = answered.size
  return vi.waitFor(() => expect(answered.size).toBeGreaterThan(before + 20), 20_000)
}

test('a role without rights sees which commits the server can lose', async () => {
  const { sql } = system.context
  await sql`create role plain login password 'plain'`
  const url = new URL(pair.url)
  url.username = url.password = 'plain'
  const plain = openPostgres({ url: url.toString(), name: 'plain', maxConnections: 1 })
  const configure = async (change: string) => {
    await sql.unsafe(`alter system ${change}`)
    await sql`select pg_reload_conf()`
  }
  const described = () => describeLostCommits(plain)
  expect(await described()).toBe(undefined)
  await configure('reset synchronous_standby_names')
  await expect.poll(described).toMatch(/^the standby .* \(synchronous_standby_names is empty\)/)
  await configure("set synchronous_standby_names = '*'")
  await expect.poll(described).toBe(undefined)
  await plain`set synchronous_commit = local`
  expect(await described()).toMatch(/^the standby .* \(synchronous_commit is local\)/)
  await plain`set synchronous_commit = off`
  expect(await described()).toMatch(/^synchronous_commit is off/)
  await plain.end()
})

test('clients are answered while a standby is promoted, and after the old primary ends', async () => {
  await moreAnswers()
  await pair.failOver()
  await moreAnswers()
  await pair.killPrevious()
  await moreAnswers()
}, 90_000)

test('if the primary dies under load, clients are answered within five seconds of the promotion', async () => {
  await moreAnswers()
  await pair.crash()
  const [before, promotedAt] = [answered.size, performance.now()]
  await vi.waitFor(() => expect(answered.size).toBeGreaterThan(before), { timeout: 20_000, interval: 10 })
  expect(performance.now() - promotedAt).toBeLessThan(maxOutageMs)
  await moreAnswers()
}, 90_000)

test('every answer that was delivered is charged once, no other, and the books have no difference', async () => {
  stopping = true
  await load
  // A refused request may have been charged, and is refunded. A delivered response may be charged late.
  await vi.waitFor(async () => expect(await chargedRequests(system.context.sql)).toEqual(answered), 20_000)
  expect(await loggedRequests()).toEqual(answered)
  await expectLedgerToBalance(system.context.sql)
  for await (const { differences } of reconcileAll(system.context, { batch: 100 }))
    expect(differences).toEqual([])
}, 90_000)

async function loggedRequests(): Promise<Set<string>> {
  const rows = await system.context.sql<{ id: string }[]>`select id from request_logs where cost_nanos > 0`
  return new Set(rows.map(({ id }) => id))
}
