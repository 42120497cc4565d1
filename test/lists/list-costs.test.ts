import { beforeAll, expect, test } from 'vitest'
import { type AccountFilter, countAccounts, listAccounts } from '../../domain/accounts/list-accounts.ts'
import { type ActionFilter, listActions } from '../../domain/audit/list-actions.ts'
import { listTransactions } from '../../domain/billing/list-transactions.ts'
import type { TransactionFilter } from '../../domain/billing/transaction-filter.ts'
import { listKeys } from '../../domain/keys/key-records.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { aSystem } from '../harness/a-context.ts'
import { anAccount } from '../harness/an-account.ts'
import { perFile } from '../harness/per-file.ts'
import { blocksOf } from '../harness/postgres/blocks-of.ts'

let accountId: string
/** Rows of the account in each table. */
const many = 20_000
/** Rows of a page. */
const limit = 50
const rareKey = '0190a8c2-0000-7000-8000-000000000002'
const commonKey = '0190a8c2-0000-7000-8000-000000000001'
const now = Date.now()
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000)

const system = perFile(aSystem)

beforeAll(async () => {
  accountId = (await anAccount(system.context)).accountId
  await insertKeys(system.context.sql)
  await insertTransactions(system.context.sql)
  await insertActions(system.context.sql)
  await insertAccounts(system.context.sql)
  await system.context.sql`vacuum analyze`
})

/** Three of the keys are not revoked: an old one, one of the middle and a new one. */
function insertKeys(sql: Sql) {
  return sql`
    with added as (
      insert into api_keys (account_id, id, public_id, name, key_hmac, key_prefix, created_at, revoked_at)
      select ${accountId}, ('0190a8c2-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'key' || n, 'key', '', 'sk-rb-',
        now() - (${many} - n) * interval '1 minute', case when n not in (2, ${many / 2}, ${many - 1}) then now() end
      from generate_series(1, ${many}::int) n
      returning account_id, id)
    insert into key_budgets (account_id, key_id) select account_id, id from added`
}

/** Two charges of `rareKey`, and one refund; the rest are charges of `commonKey`, a minute apart. */
function insertTransactions(sql: Sql) {
  return sql`
    insert into transactions (account_id, id, source, credits_nanos, payment_method, status, api_key_id, created_at)
    select ${accountId}, 'txn_' || lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'), 'req_' || n, -1,
      case when n = 3 then 'refund' else 'usage' end, 'completed',
      case when n in (4, ${many / 2}) then ${rareKey} else ${commonKey} end::uuid, at
    from generate_series(1, ${many}::int) n,
      lateral (select ${minutesAgo(0)}::timestamptz - (${many} - n) * interval '1 minute' as at) time`
}

/** Two actions of each `rare` value; the rest have `common` values. They are a minute apart. */
function insertActions(sql: Sql) {
  return sql`
    insert into audit_log (account_id, id, action, state, actor_kind, actor_id, target_id, created_at)
    select ${accountId}, 'act_' || lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'),
      case when n in (4, 9000) then 'rare' else 'common' end, 'done', 'session',
      case when n in (5, 9001) then 'rare' else 'common' end, case when n in (6, 9002) then 'rare' else 'common' end, at
    from generate_series(1, ${many}::int) n,
      lateral (select ${minutesAgo(0)}::timestamptz - (${many} - n) * interval '1 minute' as at) time`
}

const actions =
  (filter: ActionFilter, slice: object = {}) =>
  (sql: Sql) =>
    listActions({ sql }, { accountId, filter, slice: { limit, ...slice } })

/** Accounts with a user each. Two have a rare name, two a rare address, and 1,500 a name between rare and common. */
function insertAccounts(sql: Sql) {
  return sql`
    with added as (
      insert into accounts (id, name, created_at, suspended_at)
      select gen_random_uuid(),
        case when n in (7, 9003) then 'Rare ' || n when n % 13 = 0 then 'Between ' || n else 'Common ' || n end,
        ${minutesAgo(0)}::timestamptz - n * interval '1 minute', case when n in (8, 9004) then now() end
      from generate_series(1, ${many}::int) n
      returning id, name, created_at, suspended_at
    ), people as (
      insert into users (id, email, name, password_hash)
      select id, case when suspended_at is null then 'person' else 'seldom' end || id || '@example.com', '', ''
      from added returning id)
    insert into memberships (account_id, user_id, role) select id, id, 'owner' from people`
}

const accounts =
  (filter: AccountFilter, slice: object = {}) =>
  (sql: Sql) =>
    listAccounts({ sql }, { filter, slice: { limit, ...slice } })
const accountTotal = (filter: AccountFilter) => (sql: Sql) => countAccounts({ sql }, { filter, max: 100_000 })

/** A clock on which a search has time for five statements. */
const impatient = () => {
  let calls = 0
  return { ...systemClock, monotonic: () => (calls++ < 5 ? 0 : 1_000) }
}
const transactions =
  (filter: TransactionFilter, slice: object = {}) =>
  (sql: Sql) =>
    listTransactions({ sql, clock: impatient() }, { accountId, filter, slice: { limit, ...slice } })

/** Each list, its filter, and the largest number of blocks that Postgres may read for a page of it. */
const costs: [list: string, filter: string, maxBlocks: number, read: (sql: Sql) => Promise<unknown>][] = [
  ['keys', 'that are not revoked', 30, sql => listKeys({ sql }, { accountId, slice: { limit } })],
  ['keys', 'from the end', 30, sql => listKeys({ sql }, { accountId, slice: { limit, fromEnd: true } })],
  ['keys', 'without a page', 30, sql => listKeys({ sql }, { accountId })],
  ['transactions', 'without a filter', 250, transactions({})],
  ['transactions', 'of a common key', 250, transactions({ keyIds: [commonKey] })],
  ['transactions', 'of a rare key', 250, transactions({ keyIds: [rareKey] })],
  ['transactions', 'of a rare key from the end', 250, transactions({ keyIds: [rareKey] }, { fromEnd: true })],
  ['transactions', 'of a rare method', 250, transactions({ methods: ['refund'] })],
  ['transactions', 'of no status', 250, transactions({ statuses: [] })],
  ['transactions', 'of an hour', 250, transactions({ since: minutesAgo(9_060), until: minutesAgo(9_000) })],
  ['actions', 'without a filter', 250, actions({})],
  ['actions', 'of a common name', 250, actions({ names: ['common'] })],
  ['actions', 'of a rare name', 250, actions({ names: ['rare', 'none'] })],
  ['actions', 'of a common and a rare name', 250, actions({ names: ['rare', 'common'] })],
  ['actions', 'of a rare actor from the end', 250, actions({ actorIds: ['rare'] }, { fromEnd: true })],
  ['actions', 'of a rare target', 250, actions({ targetIds: ['rare'] })],
  ['actions', 'of a common actor with a rare name', 250, actions({ actorIds: ['common'], names: ['rare'] })],
  ['actions', 'of an hour', 250, actions({ since: minutesAgo(9_060), until: minutesAgo(9_000) })],
  ['actions', 'of a long time ago', 250, actions({ until: minutesAgo(many - 100) })],
  ['accounts', 'without a filter', 1_000, accounts({})],
  ['accounts', 'of a rare name', 1_000, accounts({ search: 'rare' })],
  ['accounts', 'of a rare address', 1_000, accounts({ search: 'SELDOM' })],
  ['accounts', 'of no name', 1_000, accounts({ search: 'nobody' })],
  ['accounts', 'of a common address', 1_000, accounts({ search: 'example.com' })],
  [
    'accounts',
    'of a common address from the end',
    1_000,
    accounts({ search: 'example.com' }, { fromEnd: true }),
  ],
  ['accounts', 'of a name between rare and common', 4_000, accounts({ search: 'between' })],
  ['accounts', 'of two characters', 1_000, accounts({ search: 'xa' })],
  ['accounts', 'that are suspended', 1_000, accounts({ isSuspended: true })],
  ['accounts', 'that pay', 1_000, accounts({ isPaying: true })],
  ['accounts', 'counted with a common address', 6_000, accountTotal({ search: 'example' })],
  ['accounts', 'counted with a rare name', 1_000, accountTotal({ search: 'rare' })],
  ['accounts', 'counted if they are suspended', 1_000, accountTotal({ isSuspended: true })],
]

test.each(costs)('a page of %s, %s, reads at most %i blocks', async (_list, _filter, maxBlocks, read) => {
  expect(await blocksOf(system.database, read)).toBeLessThanOrEqual(maxBlocks)
})
