import { expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { aSystem, type TestSystem } from '../../test/harness/a-context.ts'
import { aDatabaseForThisTest, type TestDatabase } from '../../test/harness/a-database.ts'
import { aKeyWithCredits } from '../../test/harness/an-account.ts'
import { aSettledRequest, type SettledRequest } from '../../test/harness/ledger/a-settled-request.ts'
import { findLedgerFaults } from '../../test/harness/ledger-faults.ts'
import { forThisTest } from '../../test/harness/per-file.ts'
import { aLogDatabase } from '../../test/harness/postgres/a-log-database.ts'
import { aCutContext, aMortalContext } from '../../test/harness/postgres/a-mortal-context.ts'
import { eraseAccounts } from '../closures/erase-accounts.ts'
import type { Context } from '../context.ts'
import { differencesOf } from '../ledger/reconcile.ts'
import { listUsage, usageOrder } from '../usage/list-usage.ts'
import { carryRequests } from './carry-requests.ts'
import { reconcileLog } from './compare-log.ts'
import { keepPartitions } from './keep-partitions.ts'
import { requireLogSetting } from './log-database.ts'
import { findRequest } from './request-log.ts'
import { startCarrying } from './start-carrying.ts'

const clock = systemClock
const [minute, day] = [60_000, 86_400_000]
const ago = (ms: number) => new Date(Date.now() - ms)

/** A main database with an account, and the log database to which its requests are carried. */
interface Pair {
  context: Context
  sql: Sql
  logs: Sql
  settle(more?: Partial<Parameters<typeof aSettledRequest>[1]>): Promise<SettledRequest>
}

async function aPair(before: (pair: Omit<Pair, 'logs'>) => Promise<unknown> = async () => {}): Promise<Pair> {
  const system: TestSystem = forThisTest(await aSystem())
  const { context } = system
  const { sql } = context
  const { accountId, keyId } = await aKeyWithCredits(context, { creditNanos: 1_000_000n })
  const settle: Pair['settle'] = more => aSettledRequest(sql, { accountId, keyId, costNanos: 5n, ...more })
  await before({ context, sql, settle })
  const { sql: logs }: TestDatabase = forThisTest(await aLogDatabase(sql))
  return { context: { ...context, logs }, sql, logs, settle }
}

const rowsIn = async (sql: Sql) => [
  ...(await sql`select * from request_logs order by account_id, created_at, id`),
]
const waitingIn = async (sql: Sql) => (await sql`select from changed_requests`).count

async function expectAllCarried({ sql, logs }: Pick<Pair, 'sql' | 'logs'>): Promise<void> {
  expect(await rowsIn(logs)).toEqual(await rowsIn(sql))
  expect(await waitingIn(sql)).toBe(0)
  // The usage counters of the log database are the sums of its rows.
  expect(await findLedgerFaults(logs)).toEqual([])
  expect(await findLedgerFaults(sql)).toEqual([])
}

// Also a disabled one would cost each charge time, because Postgres copies the rows that it refers to.
test('without a log database, the request log has no triggers', async () => {
  const { sql } = await aDatabaseForThisTest()
  const triggers = sql`select from pg_trigger where tgrelid = 'request_logs'::regclass and not tgisinternal`
  expect((await triggers).count).toBe(0)
})

test('earlier, new and changed requests are in the log database once, with their usage', async () => {
  const columns = { end_user: 'ada', metadata: '[{"key":"team","value":"red"}]', prompt_tokens: 7 }
  const pair = await aPair(async earlier => {
    for (const createdAt of [ago(20 * day), ago(3 * day), ago(0)])
      await earlier.settle({ createdAt, columns })
  })
  const { sql, logs, settle } = pair
  await expectAllCarried(pair)

  const usageBefore = [...(await sql`select * from usage_counters order by day`)]
  const { id, accountId } = await settle({ columns })
  await settle({ costNanos: 0n, columns: { status: 429 } })
  expect(await carryRequests({ sql, logs, clock })).toBe(2)
  await sql`update request_logs set status = 503, completion_tokens = 3, end_user = 'bob' where id = ${id}`
  await settle()
  expect(await carryRequests({ sql, logs, clock })).toBe(2)
  expect(await carryRequests({ sql, logs, clock })).toBe(0)
  await expectAllCarried(pair)
  // Only the log database counts.
  expect([...(await sql`select * from usage_counters order by day`)]).toEqual(usageBefore)
  const query = { accountId, filter: {}, groupBy: ['end_user'] as const }
  const groups = await listUsage(
    { sql: logs, clock },
    { ...query, slice: { limit: 10 }, order: usageOrder() },
  )
  expect(
    groups.map(({ endUser, requests, failedRequests }) => ({ endUser, requests, failedRequests })),
  ).toEqual(expect.arrayContaining([expect.objectContaining({ requests: 1, failedRequests: 1 })]))
})

test.each(['before', 'after'] as const)(
  'a process that dies %s it forgets a batch loses and repeats nothing',
  async when => {
    const pair = await aPair()
    const { context, sql, logs, settle } = pair
    for (const end_user of ['ada', 'bob', null]) await settle({ columns: { end_user } })
    const mortal = aMortalContext(context, { at: 2, when }) // the statement after the batch was read
    await Promise.race([carryRequests({ sql: mortal.context.sql, logs, clock }), mortal.died])
    await settle()
    await carryRequests({ sql, logs, clock })
    await expectAllCarried(pair)
  },
)

test('a batch whose requests cannot be read changes nothing, and is carried later', async () => {
  const pair = await aPair()
  const { context, sql, logs, settle } = pair
  await settle()
  const cut = aCutContext(context, statement => statement === 1)
  await expect(carryRequests({ sql: cut.sql, logs, clock })).rejects.toThrow('CONNECTION_CLOSED')
  expect([await rowsIn(logs), await waitingIn(sql)]).toEqual([[], 1])
  await carryRequests({ sql, logs, clock })
  await expectAllCarried(pair)
})

test('several processes carry a backlog of many batches once', async () => {
  const pair = await aPair()
  const { sql, logs, settle } = pair
  const { accountId, keyId } = await settle()
  await sql`
    insert into request_logs (account_id, created_at, id, api_key_id, route, status)
    select ${accountId}, now() - n * interval '1 second', 'req_' || n, ${keyId}, 'chat.completions', 200
    from generate_series(1, 2500) n`
  await settle()
  await Promise.all([1, 2, 3].map(() => carryRequests({ sql, logs, clock })))
  await expectAllCarried(pair)
})

test('a copy that ended early is repeated, and the system of another account is refused', async () => {
  const { sql, settle, context } = await aPair()
  const { sql: empty } = await aDatabaseForThisTest()
  await settle()
  const cut = aCutContext(context, statement => statement > 4)
  await expect(startCarrying({ sql: cut.sql, logs: empty, clock })).rejects.toThrow('CONNECTION_CLOSED')
  await expect(carryRequests({ sql, logs: empty, clock })).rejects.toThrow(/npm run migrate/)
  await startCarrying({ sql, logs: empty, clock })
  await carryRequests({ sql, logs: empty, clock })
  await expectAllCarried({ sql, logs: empty })
  expect(await startCarrying({ sql, logs: empty, clock })).toBe(undefined)

  const other = await aSystem()
  await expect(startCarrying({ sql: other.context.sql, logs: sql, clock })).rejects.toThrow(
    /without accounts/,
  )
  await expect(startCarrying({ sql: other.context.sql, logs: other.context.sql, clock })).rejects.toThrow(
    /separate database/,
  )
  await other.close()
})

test('processes start only if LOG_DATABASE_URL agrees with the main database', async () => {
  const { sql } = await aPair()
  const { sql: alone } = await aDatabaseForThisTest()
  const [isSet, none] = [{ logDatabaseUrl: 'postgres://127.0.0.1/logs' }, { logDatabaseUrl: 'none' }] as const
  await requireLogSetting(sql, isSet)
  await requireLogSetting(alone, none)
  await expect(requireLogSetting(sql, none)).rejects.toThrow(/LOG_DATABASE_URL is not set/)
  await expect(requireLogSetting(alone, isSet)).rejects.toThrow(/npm run migrate/)
})

test('the main database drops a day after a week, once its requests are in the log database', async () => {
  const { sql, logs, settle } = await aPair()
  const [old, recent] = [await settle({ createdAt: ago(9 * day) }), await settle({ createdAt: ago(5 * day) })]
  await sql`
    update transactions t set created_at = l.created_at from request_logs l where l.id = t.request_id`
  const partition = `request_logs_${old.createdAt.toISOString().slice(0, 10).replaceAll('-', '')}`
  expect(await keepPartitions({ sql, logs, clock })).toEqual([])
  expect(await rowsIn(sql)).toHaveLength(2)
  await sql`update changed_requests set noted_at = now() - interval '2 minutes'`
  expect(await keepPartitions({ sql, logs, clock })).toEqual([])

  await carryRequests({ sql, logs, clock })
  expect(await keepPartitions({ sql, logs, clock })).toEqual([partition])
  expect((await rowsIn(sql)).map(({ id }) => id)).toEqual([recent.id])
  const { accountId } = old
  for (const requestId of [old.id, recent.id])
    expect((await findRequest({ sql, logs }, { accountId, requestId }))?.id).toBe(requestId)
  expect(await differencesOf({ sql }, [accountId])).toEqual([])
})

test('a request is found before it is carried, and while the log database is unavailable', async () => {
  const { context, sql, settle } = await aPair()
  const { id: requestId, accountId } = await settle()
  const { sql: gone } = aCutContext(context, () => true)
  expect((await findRequest({ sql, logs: gone }, { accountId, requestId }))?.id).toBe(requestId)
})

test('reconciliation finds requests that the log database lost, and carries them again', async () => {
  const { sql, logs, settle } = await aPair()
  const reconcile = async (isRepaired: boolean) =>
    (await reconcileLog({ sql, logs, clock }, { limit: 10, isRepaired })).differences
  const lost = await settle({ createdAt: ago(90 * minute) })
  await settle({ createdAt: ago(150 * minute) })
  await settle()
  expect(await reconcile(false)).toEqual([]) // it has carried them
  await logs`delete from request_logs where id = ${lost.id}`
  const [difference, ...others] = await reconcile(false)
  expect(others).toEqual([])
  const { accountId } = lost
  expect(difference).toMatchObject({ accountId, chargedNanos: 5n, loggedNanos: 0n, isLeft: true })
  expect(+difference!.since).toBeLessThanOrEqual(+lost.createdAt)
  expect(+difference!.until).toBeGreaterThan(+lost.createdAt)
  expect(await reconcile(true)).toEqual([{ ...difference, isLeft: false }])
  expect(await reconcile(false)).toEqual([])
})

test('reconciliation notes a busy span in parts that one batch can carry', async () => {
  const { sql, logs, settle } = await aPair()
  const { accountId, keyId, createdAt } = await settle({ createdAt: ago(90 * minute) })
  await sql`
    insert into request_logs (account_id, created_at, id, api_key_id, route, status)
    select ${accountId}, ${createdAt}, 'req_' || n, ${keyId}, 'chat.completions', 200 from generate_series(1, 2500) n`
  await carryRequests({ sql, logs, clock })
  await logs`delete from request_logs`
  await sql`alter table changed_requests add check (cardinality(ids) <= 2000)`
  const { differences } = await reconcileLog({ sql, logs, clock }, { limit: 10, isRepaired: true })
  expect(differences).toMatchObject([{ accountId, isLeft: false }])
  expect((await rowsIn(logs)).length).toBe(2501)
})

test('the requests and usage of a closed account are deleted in the log database too', async () => {
  const { context, sql, logs, settle } = await aPair()
  const { accountId } = await settle({ columns: { end_user: 'ada' } })
  await carryRequests({ sql, logs, clock })
  await settle()
  await sql`update accounts set closed_at = now(), erase_at = now() - interval '1 minute' where id = ${accountId}`
  expect(await eraseAccounts(context)).toBe(1)
  await carryRequests({ sql, logs, clock })
  expect(await rowsIn(logs)).toEqual([])
  expect((await logs`select from usage_counters`).count).toBe(0)
  expect((await logs`select from usage_values`).count).toBe(0)
})
