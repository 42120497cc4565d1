import { beforeAll, expect, test } from 'vitest'
import type { Position, Slice } from '../../platform/postgres/keyset.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { anAccount } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { listTransactions } from './list-transactions.ts'
import type { TransactionFilter } from './transaction-filter.ts'

let accountId: string
const many = 9_000
const begunAt = Date.UTC(2026, 0, 1)
const timeOf = (number: number) => new Date(begunAt + number * 60_000)
const idOf = (number: number) => `txn_${timeOf(number).getTime().toString(16).padStart(12, '0')}`
const rareKey = '0190a8c2-0000-7000-8000-000000000002'
const rare = [8_999, 8_000, 2_600, 2_599, 3]

const system = perFile(aSystem)

beforeAll(async () => {
  accountId = (await anAccount(system.context, { creditNanos: 0n })).accountId
  const numbers = Array.from({ length: many }, (_, index) => index + 1)
  await system.context.sql`
  insert into transactions (account_id, id, source, credits_nanos, payment_method, status, api_key_id, created_at)
  select ${accountId}, id, 'req_' || n, -1, 'usage', 'completed',
  case when n = any (${rare}::int[]) then ${rareKey} else '0190a8c2-0000-7000-8000-000000000001' end::uuid, created_at
  from unnest(${numbers}::int[], ${numbers.map(idOf)}::text[],
      ${numbers.map(number => timeOf(number).toISOString())}::text[]::timestamptz[]) as row (n, id, created_at)`
})

/** Reads the list page by page like a client, with a search that ends after `statements` statements. */
async function walk(filter: TransactionFilter, { statements, fromEnd = false, limit = 2 }: Walk) {
  const ids: string[] = []
  let pages = 0
  let at: Position | undefined
  do {
    const slice: Slice = { limit: limit + 1, fromEnd, [fromEnd ? 'before' : 'after']: at }
    const context = { sql: system.context.sql, clock: clockOf(statements) }
    const { transactions, endedAt } = await listTransactions(context, { accountId, filter, slice })
    const shown = transactions.slice(0, limit).map(({ id }) => id)
    ids.push(...shown)
    at = endedAt ?? (transactions.length > limit ? shown.slice(-1) : undefined)
    pages += 1
  } while (at)
  return { ids, pages }
}

interface Walk {
  statements: number
  fromEnd?: boolean
  limit?: number
}

/** Returns a clock on which each statement except the last one takes no time. */
function clockOf(statements: number) {
  let calls = 0
  return { ...system.context.clock, monotonic: () => (calls++ < statements ? 0 : 1_000) }
}

const newestFirst = rare.map(idOf)

test('a search finds each match once, in one page or in many that end early, from either end', async () => {
  expect(await walk({ keyIds: [rareKey] }, { statements: 100, limit: 10 })).toEqual({
    ids: newestFirst,
    pages: 1,
  })
  const early = await walk({ keyIds: [rareKey] }, { statements: 4 })
  expect(early.ids).toEqual(newestFirst)
  expect(early.pages).toBeGreaterThan(20)
  const some = { statements: 6, fromEnd: true }
  expect((await walk({ keyIds: [rareKey] }, some)).ids).toEqual(newestFirst.toReversed())
})

test('a search stays within its time, and ends if nothing matches', async () => {
  const filter = { keyIds: [rareKey], since: timeOf(2_600), until: timeOf(8_999) }
  expect((await walk(filter, { statements: 3 })).ids).toEqual([8_000, 2_600].map(idOf))
  for (const none of [
    { keyIds: [] },
    { methods: ['refund' as const] },
    { since: timeOf(1), until: timeOf(1) },
  ])
    expect((await walk(none, { statements: 100 })).ids).toEqual([])
})

test('a page by number of a filtered list is complete', async () => {
  const slice = { limit: 2, offset: 3 }
  const { transactions } = await listTransactions(system.context, {
    accountId,
    filter: { keyIds: [rareKey] },
    slice,
  })
  expect(transactions.map(({ id }) => id)).toEqual([2_599, 3].map(idOf))
})
