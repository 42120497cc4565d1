import { dayMs } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'

/** How a transaction came about. */
export type PaymentMethod =
  | 'usage'
  | 'refund'
  | 'stripe'
  | 'payment_refund'
  | 'dispute'
  | 'grant'
  | 'adjustment'

/** Every transaction is whole: what is not completed is none (docs/behaviour.md, Management API). */
export type TransactionStatus = 'completed'

/** Which transactions are wanted. Several values of one field mean any of them. */
export interface TransactionFilter {
  methods?: readonly PaymentMethod[] | undefined
  statuses?: readonly TransactionStatus[] | undefined
  keyIds?: readonly string[] | undefined
  /** Made at or after. */
  since?: Date | undefined
  /** Made before. */
  until?: Date | undefined
}

/** An id begins with the time at which it was made: at most so much before its transaction. */
const idSlackMs = dayMs

/** The condition on rows of `transactions`. */
export function matchTransactions(sql: Sql, accountId: string, filter: TransactionFilter) {
  const { methods, statuses, keyIds, since, until } = filter
  const isOfPayments = methods && !methods.includes('usage')
  const [earliest, latest] = [since && idAt(since.getTime() - idSlackMs), until && idAt(until.getTime())]
  return sql`account_id = ${accountId}
    ${methods ? sql`and payment_method = any (${[...methods]})` : sql``}
    ${isOfPayments ? sql`and payment_method <> 'usage'` : sql``}
    ${statuses ? sql`and status = any (${[...statuses]})` : sql``}
    ${keyIds ? sql`and api_key_id = any (${[...keyIds]}::uuid[])` : sql``}
    ${since && earliest ? sql`and created_at >= ${since} and id >= ${earliest}` : sql``}
    ${until && latest ? sql`and created_at < ${until} and id < ${latest}` : sql``}`
}

/** What an id of that moment begins with. Undefined outside the years that ids can say. */
function idAt(ms: number): string | undefined {
  if (ms < 0 || ms >= 2 ** 48) return undefined
  return `txn_${Math.floor(ms).toString(16).padStart(12, '0')}`
}
