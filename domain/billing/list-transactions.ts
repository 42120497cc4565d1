import { type KeysetOrder, keyset, type Position, type Slice } from '../../platform/postgres/keyset.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'
import { searchTransactions } from './search-transactions.ts'
import {
  matchTransactions,
  type PaymentMethod,
  scanTransactions,
  type TransactionFilter,
  type TransactionStatus,
} from './transaction-filter.ts'

/** A change of a balance: a completed charge, or a top-up. */
export interface Transaction {
  id: string
  /** The change of the credits, in nano-dollars: negative for usage, positive for a top-up. */
  creditsNanos: bigint
  paymentMethod: PaymentMethod
  status: TransactionStatus
  /** The reason of a manual adjustment, or Stripe's ID of a refund or dispute. */
  reason: string | null
  /** The key of a usage row. The next field is its request or task. */
  apiKeyId: string | null
  requestId: string | null
  taskId: string | null
  createdAt: Date
}

/** Newest first: IDs begin with their time. */
export const transactionOrder = [
  { name: 'id', type: 'text', direction: 'desc' },
] as const satisfies KeysetOrder

/** A page of the list. */
export interface FoundTransactions {
  transactions: Transaction[]
  /** Where a search ended if it found too few and did not reach the end of the list. */
  endedAt?: Position | undefined
}

/**
 * Lists a slice of the transactions of an account that match the filter, newest first. With a filter it searches for
 * about 100 ms (`searchTransactions`), and returns what it found and where it ended.
 */
export async function listTransactions(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  { accountId, slice, filter = {} }: { accountId: string; slice: Slice; filter?: TransactionFilter },
): Promise<FoundTransactions> {
  const { where, end } = keyset(sql, transactionOrder, slice)
  const isSearch = Object.values(filter).some(value => value !== undefined) && !slice.offset
  const found = isSearch
    ? await searchTransactions({ sql, clock }, { accountId, filter, slice, order: transactionOrder })
    : undefined
  // The IDs of the page come from the index alone, so that Postgres fetches only the rows of the page. `offset 0` makes
  // it fetch them one by one, also with a plan that does not know the size of the page.
  const page = found
    ? sql`select unnest(${found.ids}::text[]) as page_id`
    : sql`select id as page_id from transactions where ${matching(sql, accountId, filter)} ${where} ${end}`
  const transactions = await sql<Transaction[]>`
    select ${transactionColumns(sql)} from (${page}) page
    cross join lateral (
      select * from transactions where account_id = ${accountId} and id = page_id offset 0
    ) listed
    order by id ${slice.fromEnd ? sql`asc` : sql`desc`}`
  return { transactions, endedAt: found?.endedAt }
}

/** Finds transactions of an account by their IDs, in any order. */
export async function findTransactions(
  { sql }: Pick<Context, 'sql'>,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<Transaction[]> {
  return sql<Transaction[]>`
    select ${transactionColumns(sql)} from transactions
    where account_id = ${accountId} and id = any (${[...ids]})`
}

function transactionColumns(sql: Sql) {
  return sql`id, credits_nanos as "creditsNanos", payment_method as "paymentMethod", status, reason,
    api_key_id as "apiKeyId", request_id as "requestId", task_id as "taskId", created_at as "createdAt"`
}

/**
 * Counts the transactions of an account that match the filter, at most `max`, because an account may have millions.
 */
export async function countTransactions(
  { sql }: Pick<Context, 'sql'>,
  { accountId, max, filter = {} }: { accountId: string; max: number; filter?: TransactionFilter },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::float8 as total from (
      select from transactions where ${matching(sql, accountId, filter)} limit ${max}
    ) counted`
  return row?.total ?? 0
}

function matching(sql: Sql, accountId: string, filter: TransactionFilter) {
  return sql`${scanTransactions(sql, accountId, filter)} and ${matchTransactions(sql, filter)}`
}
