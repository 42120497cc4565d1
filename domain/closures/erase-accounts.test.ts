import { afterEach, expect, test } from 'vitest'
import { aFullAccount as fullAccountIn } from '../../test/accounts/a-full-account.ts'
import { aManagedSystem } from '../../test/harness/a-management-context.ts'
import { anAccount } from '../../test/harness/an-account.ts'
import { expectLedgerToBalance } from '../../test/harness/invariants.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { aMortalContext } from '../../test/harness/postgres/a-mortal-context.ts'
import { erasedTables, keptTables } from './account-data.ts'
import { closeAccount, reopenAccount } from './close-account.ts'
import { eraseAccounts } from './erase-accounts.ts'

const hour = 3_600_000

const system = perFile(() => aManagedSystem())
afterEach(() => expectLedgerToBalance(system.context.sql))

/** The tables with an account's rows: those with a column `account_id`, without partitions of the log. */
async function tablesOfAccounts(): Promise<string[]> {
  const rows = await system.context.sql<{ name: string }[]>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where a.attname = 'account_id' and not a.attisdropped and c.relnamespace = 'public'::regnamespace
      and (c.relkind = 'r' and c.relname not like 'request\\_logs\\_%' or c.relname = 'request_logs')`
  return rows.map(({ name }) => name)
}

/** The tables that have no rows of an erased account. */
const emptied = [...erasedTables, 'request_logs', 'memberships']

/** Tables whose rows are deleted with the rows that they refer to. */
const cascading = ['delivery_tries']

test('every table with rows of accounts is erased or kept for a reason', async () => {
  const known = [...erasedTables, ...Object.keys(keptTables), ...cascading].toSorted()
  expect(known).toEqual((await tablesOfAccounts()).toSorted())
})

test('every row that refers to a user is deleted with the user, except for memberships', async () => {
  const rows = await system.context.sql<{ name: string }[]>`
    select conrelid::regclass::text as name from pg_constraint
    where contype = 'f' and confrelid = 'users'::regclass and confdeltype <> 'c'`
  expect(rows).toEqual([{ name: 'memberships' }])
})

test('a user is deleted with the last account, and keeps another one', async () => {
  const { sql } = system.context
  const [account, other] = [await aFullAccount('first'), await aFullAccount('second')]
  const userOf = async ({ accountId }: { accountId: string }) =>
    (await sql<{ id: string }[]>`select user_id as id from memberships where account_id = ${accountId}`)[0]
      ?.id ?? ''
  const [only, both] = [await userOf(account), await userOf(other)]
  await sql`insert into memberships ${sql({ account_id: account.accountId, user_id: both, role: 'viewer' })}`
  await makeDue(account.accountId)
  expect(await eraseAccounts(system.context)).toBe(1)
  expect([...(await sql`select id from users where id in (${only}, ${both})`)]).toEqual([{ id: both }])
  expect([...(await sql`select account_id from memberships where user_id = ${both}`)]).toEqual([
    { account_id: other.accountId },
  ])
  expect(await countsOf(other.accountId)).toMatchObject({ memberships: 1, refresh_tokens: 1 })
})

test('the data of a closed account are deleted when they are due, and the books and other accounts remain', async () => {
  const { sql } = system.context
  const [account, other] = [await aFullAccount('gone'), await aFullAccount('stays')]
  await closeAccount(system.context, { ...account, reason: 'a test' })
  const books = await booksOf(account.accountId)
  const others = await countsOf(other.accountId)
  expect(await eraseAccounts(system.context)).toBe(0)
  expect(await countsOf(account.accountId)).toEqual(others)

  await makeDue(account.accountId)
  expect(await eraseAccounts(system.context)).toBe(1)
  expect(await countsOf(account.accountId)).toEqual(noRows())
  expect(await countsOf(other.accountId)).toEqual(others)
  expect(await booksOf(account.accountId)).toEqual(books)
  expect(
    await sql`select checkout_url, idempotency_key from payments where account_id = ${account.accountId}`,
  ).toEqual([{ checkout_url: null, idempotency_key: null }])
  expect(await sql`select action, address from audit_log where account_id = ${account.accountId}`).toEqual([
    { action: 'logIn', address: null },
  ])
  const [media] =
    await sql`select expires_at <= now() as "isDue" from media_files where account_id = ${account.accountId}`
  expect(media).toEqual({ isDue: true })
  const [row] = await sql`select name, erase_at, erased_at from accounts where id = ${account.accountId}`
  expect(row).toEqual({ name: 'Deleted account', erase_at: null, erased_at: expect.any(Date) })
  expect(await eraseAccounts(system.context)).toBe(0)
  await expect(reopenAccount(system.context, { ...account, reason: 'a mistake' })).rejects.toThrow(
    'The account cannot be reopened',
  )
})

test('a worker killed between any two of its statements loses nothing: the next run continues', async () => {
  let at = 1
  for (let outcome: unknown = 'died'; outcome === 'died'; at++) {
    const account = await aFullAccount('killed')
    const books = await booksOf(account.accountId)
    await makeDue(account.accountId)
    const { context, died } = aMortalContext(system.context, { at, when: 'before' })
    outcome = await Promise.race([eraseAccounts(context), died])
    await eraseAccounts(system.context)
    expect(await countsOf(account.accountId)).toEqual(noRows())
    expect(await booksOf(account.accountId)).toEqual(books)
  }
  expect(at).toBeGreaterThan(erasedTables.length)
}, 60_000)

test('rows beyond the limit of a statement are deleted too', async () => {
  const { sql } = system.context
  const { accountId } = await anAccount(system.context, { creditNanos: 0n })
  await sql`
    insert into request_logs (account_id, created_at, id, api_key_id, route, status)
    select ${accountId}, now() - (n / 3) * interval '1 second', 'req_' || n, gen_random_uuid(), 'chat.completions', 200
    from generate_series(1, 12000) n`
  await sql`
    insert into audit_log (account_id, id, action, actor_kind, address)
    select ${accountId}, 'act_' || n, 'logIn', 'session', '192.0.2.1' from generate_series(1, 12000) n`
  await makeDue(accountId)
  expect(await eraseAccounts(system.context)).toBe(1)
  const [left] = await sql`
    select (select count(*)::int from request_logs where account_id = ${accountId}) as requests,
      (select count(address)::int from audit_log where account_id = ${accountId}) as addresses`
  expect(left).toEqual({ requests: 0, addresses: 0 })
})

test('a run whose time is over stops between two statements, and the next run continues', async () => {
  const { accountId } = await aFullAccount('slow')
  await makeDue(accountId)
  let elapsedMs = 0
  const clock = {
    ...system.context.clock,
    monotonic() {
      elapsedMs += 1_600
      return elapsedMs
    },
  }
  expect(await eraseAccounts({ ...system.context, clock })).toBe(0)
  const left = Object.values(await countsOf(accountId)).filter(count => count > 0)
  expect([left.length > 0, left.length < erasedTables.length]).toEqual([true, true])
  expect(await eraseAccounts({ ...system.context, clock })).toBe(1)
  expect(await countsOf(accountId)).toEqual(noRows())
})

test('an account with a hold or a task that has not ended is left to a later run', async () => {
  const { sql, ids } = system.context
  const { accountId } = await anAccount(system.context)
  const processId = ids.uuid()
  await sql`insert into processes (id, kind) values (${processId}, 'edge')`
  await sql`
    insert into holds (account_id, id, process_id, amount_nanos, in_use_nanos) values (${accountId}, ${ids.uuid()}, ${processId}, 5, 5)`
  await sql`update balances set held_nanos = 5 where account_id = ${accountId}`
  await makeDue(accountId)
  expect(await eraseAccounts(system.context)).toBe(0)
  expect(await isErased(accountId)).toBe(false)
  await sql`delete from holds where account_id = ${accountId}`
  await sql`update balances set held_nanos = 0 where account_id = ${accountId}`
  expect(await eraseAccounts(system.context)).toBe(1)
})

test('a clock that is ahead deletes nothing: both clocks must have reached the time', async () => {
  const { accountId } = await anAccount(system.context)
  const isErasedWith = async (aheadMs: number) => {
    const clock = { ...system.context.clock, now: () => Date.now() + aheadMs }
    await eraseAccounts({ ...system.context, clock })
    return isErased(accountId)
  }
  await closeAccount(system.context, { accountId, reason: 'a test' })
  expect(await isErasedWith(40 * 24 * hour)).toBe(false)
  await makeDue(accountId)
  expect(await isErasedWith(-2 * hour)).toBe(false)
  expect(await isErasedWith(0)).toBe(true)
})

/** Closes an account whose data have been due for an hour, so that a difference of clocks does not matter. */
async function makeDue(accountId: string): Promise<void> {
  await system.context.sql`
    update accounts set closed_at = now(), erase_at = now() - interval '1 hour' where id = ${accountId}`
}

async function isErased(accountId: string): Promise<boolean> {
  const [account] = await system.context.sql<{ isErased: boolean }[]>`
    select erased_at is not null as "isErased" from accounts where id = ${accountId}`
  return account?.isErased ?? false
}

async function aFullAccount(name: string): Promise<{ accountId: string }> {
  const account = await fullAccountIn(system.context, name)
  expect(Object.values(await countsOf(account.accountId)).filter(count => count === 0)).toEqual([])
  return account
}

const noRows = () => Object.fromEntries(emptied.map(table => [table, 0]))

/** The numbers of an account's rows in the tables whose rows are deleted. */
async function countsOf(accountId: string): Promise<Record<string, number>> {
  const { sql } = system.context
  const counts: Record<string, number> = {}
  for (const table of emptied) {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from ${sql(table)} where account_id = ${accountId}`
    counts[table] = row?.count ?? 0
  }
  return counts
}

/** The balance, transactions and payments of an account, which are kept. */
async function booksOf(accountId: string) {
  const { sql } = system.context
  const [balance] =
    await sql`select credits_nanos, held_nanos, paid_nanos from balances where account_id = ${accountId}`
  const transactions = await sql`select * from transactions where account_id = ${accountId} order by id`
  const payments = await sql`
    select id, amount_nanos, status, payment_intent_id from payments where account_id = ${accountId}`
  return { balance, transactions: [...transactions], payments: [...payments] }
}
