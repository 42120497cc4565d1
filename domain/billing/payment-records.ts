import { type KeysetOrder, keyset, type Slice } from '../../platform/postgres/keyset.ts'
import type { Context } from '../context.ts'

/** A top-up. */
export interface Payment {
  accountId: string
  id: string
  amountNanos: bigint
  /** The currency in Stripe's format: `usd`. */
  currency: string
  /** The status. `completed` is final: the amount was credited. */
  status: PaymentStatus
  /** The URL of the checkout page; null until Stripe has created the session. */
  checkoutUrl: string | null
  /** The number of failed requests for a session. */
  sessionTries: number
  createdAt: Date
  completedAt: Date | null
}

export type PaymentStatus = 'pending' | 'completed' | 'failed' | 'expired'

/** Finds top-ups of an account by their IDs, in any order. */
export async function findPayments(
  { sql }: Pick<Context, 'sql'>,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<Payment[]> {
  return sql<Payment[]>`
    select ${paymentColumns(sql)} from payments where account_id = ${accountId} and id = any (${[...ids]})`
}

/** Newest first: IDs begin with their time. */
export const paymentOrder = [{ name: 'id', type: 'text', direction: 'desc' }] as const satisfies KeysetOrder

/** Lists a page of the top-ups of an account, newest first. */
export async function listPayments(
  { sql }: Pick<Context, 'sql'>,
  { accountId, slice }: { accountId: string; slice: Slice },
): Promise<Payment[]> {
  const { where, end } = keyset(sql, paymentOrder, slice)
  return sql<Payment[]>`
    select ${paymentColumns(sql)} from payments where account_id = ${accountId} ${where} ${end}`
}

/** Counts the top-ups of an account, at most `max`. */
export async function countPayments(
  { sql }: Pick<Context, 'sql'>,
  { accountId, max }: { accountId: string; max: number },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::float8 as total from (
      select from payments where account_id = ${accountId} limit ${max}
    ) counted`
  return row?.total ?? 0
}

/** Returns the columns of a payment under the names of its fields. */
export function paymentColumns(sql: Pick<Context, 'sql'>['sql']) {
  return sql`account_id as "accountId", id, amount_nanos as "amountNanos", currency, status,
    checkout_url as "checkoutUrl", session_tries as "sessionTries", created_at as "createdAt", completed_at as "completedAt"`
}
