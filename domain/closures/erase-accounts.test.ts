import { afterEach, expect, test } from 'vitest'
import { aManagedSystem } from '../../test/harness/a-management-context.ts'
import { aBudget, anAccount, anApiKey, anInvitation } from '../../test/harness/an-account.ts'
import { expectLedgerToBalance } from '../../test/harness/invariants.ts'
import { aSettledRequest } from '../../test/harness/ledger/a-settled-request.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { aMortalContext, type Death } from '../../test/harness/postgres/a-mortal-context.ts'
import { beginAction } from '../audit/record-action.ts'
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
  await sql`
    update accounts set closed_at = now(), erase_at = now() - interval '1 second' where id = ${account.accountId}`
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

const deaths = (at: number): Death[] => [
  { at, when: 'before' },
  { at, when: 'after' },
]

test('a worker killed before or after each of its statements loses nothing: the next run continues', async () => {
  let at = 1
  for (let isOver = false; !isOver; at++) {
    isOver = true
    for (const death of deaths(at)) {
      const account = await aFullAccount('killed')
      const books = await booksOf(account.accountId)
      await system.context.sql`
        update accounts set closed_at = now(), erase_at = now() - interval '1 second' where id = ${account.accountId}`
      const { context, died } = aMortalContext(system.context, death)
      const outcome = await Promise.race([eraseAccounts(context), died])
      if (outcome === 'died') isOver = false
      await eraseAccounts(system.context)
      expect(await countsOf(account.accountId)).toEqual(noRows())
      expect(await booksOf(account.accountId)).toEqual(books)
    }
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
  await sql`update accounts set closed_at = now(), erase_at = now() - interval '1 second' where id = ${accountId}`
  expect(await eraseAccounts(system.context)).toBe(1)
  const [left] = await sql`
    select (select count(*)::int from request_logs where account_id = ${accountId}) as requests,
      (select count(address)::int from audit_log where account_id = ${accountId}) as addresses`
  expect(left).toEqual({ requests: 0, addresses: 0 })
})

test('a run whose time is over stops between two statements, and the next run continues', async () => {
  const { accountId } = await aFullAccount('slow')
  await system.context.sql`
    update accounts set closed_at = now(), erase_at = now() - interval '1 second' where id = ${accountId}`
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
  await sql`update accounts set closed_at = now(), erase_at = now() - interval '1 second' where id = ${accountId}`
  expect(await eraseAccounts(system.context)).toBe(0)
  const [account] = await sql`select erased_at from accounts where id = ${accountId}`
  expect(account).toEqual({ erased_at: null })
  await sql`delete from holds where account_id = ${accountId}`
  await sql`update balances set held_nanos = 0 where account_id = ${accountId}`
  expect(await eraseAccounts(system.context)).toBe(1)
})

test('a clock that is ahead deletes nothing: both clocks must have reached the time', async () => {
  const { accountId } = await anAccount(system.context)
  await closeAccount(system.context, { accountId, reason: 'a test' })
  const ahead = { ...system.context.clock, now: () => Date.now() + 40 * 24 * hour }
  expect(await eraseAccounts({ ...system.context, clock: ahead })).toBe(0)
  const behind = { ...system.context.clock, now: () => Date.now() - hour }
  await system.context.sql`update accounts set erase_at = now() - interval '1 second' where id = ${accountId}`
  expect(await eraseAccounts({ ...system.context, clock: behind })).toBe(0)
  expect(await eraseAccounts(system.context)).toBe(1)
})

/** Makes a closed account's data due. */
async function makeDue(accountId: string): Promise<void> {
  await system.context.sql`update accounts set erase_at = now() - interval '1 second' where id = ${accountId}`
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

/** An account with rows in every table whose rows are deleted. */
async function aFullAccount(name: string): Promise<{ accountId: string }> {
  const { context } = system
  const { sql, ids } = context
  const { accountId } = await anAccount(context)
  const { keyId } = await anApiKey(context, { accountId, limitNanos: 5_000_000_000n })
  await aBudget(context, { accountId, limitNanos: 1_000_000_000n })
  const tag = JSON.stringify([{ key: 'team', value: 'red' }])
  for (const [end_user, metadata] of [
    ['ann', null],
    [null, tag],
    ['ann', tag],
  ] as const)
    await aSettledRequest(sql, { accountId, keyId, costNanos: 7n, columns: { end_user, metadata } })
  await beginAction(context, {
    accountId,
    name: 'logIn',
    actor: { kind: 'session', id: ids.uuid() },
    address: '192.0.2.1',
  })
  const userId = ids.uuid()
  const own = { account_id: accountId, id: ids.uuid() }
  const now = new Date()
  const email = `${name}-${userId}@example.com`
  await sql`insert into users ${sql({ id: userId, email, name, password_hash: 'x' })}`
  await sql`insert into memberships ${sql({ account_id: accountId, user_id: userId, role: 'owner' })}`
  await sql`insert into known_networks ${sql({ user_id: userId, network: Buffer.from('n'), last_at: now })}`
  const link = {
    id: ids.uuid(),
    purpose: 'confirm_email',
    email,
    user_id: userId,
    created_at: now,
    expires_at: now,
  }
  await sql`insert into mailed_links ${sql(link)}`
  const token = { family_id: ids.uuid(), user_id: userId, token_hash: Buffer.from(userId), expires_at: now }
  await sql`insert into refresh_tokens ${sql({ ...own, ...token })}`
  const credential = { provider: 'vendor_a', label: 'ours', api_key_prefix: 'sk-…' }
  await sql`insert into provider_credentials ${sql({ ...own, ...credential })}`
  await sql`insert into balance_alerts ${sql({ ...own, threshold_nanos: 5n, armed: true })}`
  await sql`insert into alert_webhooks ${sql({ account_id: accountId, url: 'https://alerts.example' })}`
  await sql`insert into alert_notices ${sql({ account_id: accountId, day: now, sent: 1 })}`
  await sql`insert into callback_secrets ${sql({ ...own, secret_sealed: Buffer.from('s') })}`
  const delivery = { event: 'task.completed', url: 'https://calls.example', receiver: 'calls.example' }
  await sql`insert into deliveries ${sql({ ...own, ...delivery })}`
  await sql`
    insert into delivery_tries ${sql({ account_id: accountId, delivery_id: own.id, number: 1, started_at: now })}`
  const claim = {
    key: 'k',
    fingerprint: Buffer.from('f'),
    process_id: ids.uuid(),
    request_id: 'req_1',
    started_at: now,
  }
  await sql`insert into idempotency_keys ${sql({ account_id: accountId, ...claim })}`
  await sql`
    insert into tasks (account_id, id, request_id, api_key_id, kind, model, vendor, parameters, status, price_nanos,
      cost_nanos, own_only, created_at, ends_at, finished_at)
    values (${accountId}, ${`task_${own.id}`}, 'req_none', ${keyId}, 'video', 'vendor_i/reel', 'vendor_i', '{}', 'failed',
      0, 0, true, now() - interval '51 days', now(), now())`
  const file = {
    name: `results/${own.id}`,
    kind: 'result',
    content_type: 'video/mp4',
    bytes: 7,
    created_at: now,
  }
  const expires_at = new Date(now.getTime() + hour)
  await sql`insert into media_files ${sql({ ...own, ...file, stored_at: now, expires_at })}`
  await sql`
    insert into automatic_top_ups ${sql({ account_id: accountId, is_on: false, threshold_nanos: 1n, amount_nanos: 1n, daily_max_nanos: 1n })}`
  await sql`insert into stripe_customers ${sql({ account_id: accountId, customer_id: `cus_${own.id}` })}`
  const card = {
    brand: 'visa',
    last4: '4242',
    expiry_month: 1,
    expiry_year: 2031,
    event_at: now,
    saved_at: now,
  }
  await sql`insert into saved_cards ${sql({ ...own, ...card })}`
  const payment = {
    amount_nanos: 5n,
    currency: 'usd',
    status: 'expired',
    idempotency_key: 'i',
    checkout_url: 'https://pay',
  }
  await sql`insert into payments ${sql({ ...own, ...payment, payment_intent_id: `pi_${own.id}` })}`
  await anInvitation({ sql, ids }, { accountId })
  expect(Object.values(await countsOf(accountId)).filter(count => count === 0)).toEqual([])
  return { accountId }
}
