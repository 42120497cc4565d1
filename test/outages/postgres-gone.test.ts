import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freePort } from '../../dev/services/ports.ts'
import { type PostgresService, startPostgres } from '../../dev/services/postgres.ts'
import { closeContext, openContext } from '../../domain/context.ts'
import { migrate } from '../../platform/migrations/migrate.ts'
import { aClient, saying } from '../harness/a-client.ts'
import { aConfig, type TestSystem } from '../harness/a-context.ts'
import { anEdgeSystem, type EdgeSystem } from '../harness/an-edge.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'

let folder: string
let port: number
let postgres: PostgresService
let system: EdgeSystem

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rubicon-postgres-'))
  port = await freePort()
  postgres = await startPostgres({ folder, port })
  system = await anEdgeSystem({}, { openSystem })
}, 60_000)
afterAll(async () => {
  await system.close()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}, 60_000)

/** A system on a separate server that the test can kill. */
async function openSystem(env: Record<string, string> = {}): Promise<TestSystem> {
  const url = postgres.urlOf('postgres')
  const config = aConfig({ DATABASE_URL: url, ...env })
  const context = openContext(config, { name: 'test' })
  await migrate(url, new URL('../../schema', import.meta.url).pathname)
  const database = { url, sql: context.sql, close: async () => {} }
  return { config, context, database, close: () => closeContext(context) }
}

test('Postgres is killed under load: every delivered response is charged once, and service recovers by itself', async () => {
  const client = await aClient(system)
  const paidBefore = (await paidRequests()) ?? 0
  let answered = 0
  let stopping = false
  const load = Array.from({ length: 10 }, async () => {
    while (!stopping) {
      const response = await client.post('/chat/completions', saying('Hi'))
      await response.json()
      if (response.status === 200) answered += 1
      expect([200, 503]).toContain(response.status)
    }
  })
  await vi.waitFor(() => expect(answered).toBeGreaterThan(10), 20_000)
  const before = answered
  process.kill(postgres.pid, 'SIGKILL')
  await postgres.ended
  // Long enough for a driver's own pauses to have grown.
  await sleep(1_500)
  postgres = await startPostgres({ folder, port })
  const atRestart = answered
  await vi.waitFor(() => expect(answered).toBeGreaterThan(atRestart), { timeout: 10_000, interval: 10 })
  await vi.waitFor(() => expect(answered).toBeGreaterThanOrEqual(before + 50), 30_000)
  stopping = true
  await Promise.all(load)
  await expectLedgerToBalance(system.context.sql)
  // A refused one whose settlement was on its way may have been charged; that is refunded.
  await vi.waitFor(async () => expect(await paidRequests()).toBe(paidBefore + answered), 10_000)
  await expectLedgerToBalance(system.context.sql)
}, 60_000)

test('a request whose hold cannot grow fails after two seconds, and does not wait again for its log row', async () => {
  const client = await aClient(system)
  await client.openai.models.list() // the edge then has a copy of the key, but no hold
  const sessions = await system.context.sql<{ pid: number }[]>`select pid from pg_stat_activity`
  const processes = [postgres.pid, ...sessions.map(({ pid }) => pid)]
  for (const pid of processes) process.kill(pid, 'SIGSTOP')
  const since = performance.now()
  const { status } = await client.post('/chat/completions', saying('Hi'))
  const waitedMs = performance.now() - since
  for (const pid of processes) process.kill(pid, 'SIGCONT')
  expect(status).toBe(503)
  expect(waitedMs).toBeLessThan(3_500)
  const rows = () =>
    system.context.sql`select status from request_logs where account_id = ${client.accountId}`
  await expect.poll(rows, { timeout: 10_000 }).toMatchObject([{ status: 503 }])
}, 60_000)

async function paidRequests(): Promise<number | undefined> {
  const [row] = await system.context.sql<{ requests: number }[]>`
    select sum(case payment_method when 'usage' then 1 else -1 end)::int as requests
    from transactions where request_id is not null`
  return row?.requests
}
