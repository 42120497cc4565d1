import { dayMs } from '../../platform/clock.ts'
import { idPrefixAt } from '../../platform/ids.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'

/** The origin of a transaction. */
export type PaymentMethod =
  | 'usage'
  | 'refund'
  | 'stripe'
  | 'payment_refund'
  | 'dispute'
  | 'grant'
  | 'trial'
  | 'adjustment'

/** The status of a transaction. Only completed transactions are stored (docs/behaviour.md, Management API). */
export type TransactionStatus = 'completed'

/** A filter of transactions. Several values of one field match any of them. */
export interface TransactionFilter {
  methods?: readonly PaymentMethod[] | undefined
  statuses?: readonly TransactionStatus[] | undefined
  keyIds?: readonly string[] | undefined
  /** The earliest time, inclusive. */
  since?: Date | undefined
  /** The latest time, exclusive. */
  until?: Date | undefined
}

/** Maximum difference between the time in a transaction's ID and `created_at`, in milliseconds. */
const idSlackMs = dayMs

/** Returns the condition on rows of `transactions` that a search reads: an index has them in the order of their IDs. */
export function scanTransactions(sql: Sql, accountId: string, { methods, since, until }: TransactionFilter) {
  const isOfPayments = methods && !methods.includes('usage')
  const earliest = since && idPrefixAt('txn_', since.getTime() - idSlackMs)
  const latest = until && idPrefixAt('txn_', until.getTime())
  return sql`account_id = ${accountId}
    ${isOfPayments ? sql`and payment_method <> 'usage'` : sql``}
    ${earliest ? sql`and id >= ${earliest}` : sql``}
    ${latest ? sql`and id < ${latest}` : sql``}`
}

/** Returns the condition on these rows that decides whether they match. */
export function matchTransactions(sql: Sql, { methods, statuses, keyIds, since, until }: TransactionFilter) {
  return sql`true
    ${methods ? sql`and payment_method = any (${[...methods]})` : sql``}
    ${statuses ? sql`and status = any (${[...statuses]})` : sql``}
    ${keyIds ? sql`and api_key_id = any (${[...keyIds]}::uuid[])` : sql``}
    ${since ? sql`and created_at >= ${since}` : sql``}
    ${until ? sql`and created_at < ${until}` : sql``}`
}
