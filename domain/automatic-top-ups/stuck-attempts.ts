import { type KeysetOrder, keyset, type Slice } from '../../platform/postgres/keyset.ts'
import type { Context } from '../context.ts'

/** An automatic top-up whose outcome has been unknown for an hour. */
export interface StuckAttempt {
  accountId: string
  id: string
  /** The amount without tax, and the tax; null until the tax is known. */
  amountNanos: bigint
  taxNanos: bigint | null
  /** Stripe's ID of the charge; null if none was created. */
  paymentIntentId: string | null
  createdAt: Date
  /** When the worker last called Stripe about it. */
  calledAt: Date
}

/**
 * The age from which an attempt in progress is stuck, in milliseconds. A worker has then cancelled its charge, unless
 * Stripe does not answer or does not know the charge.
 */
export const stuckAfterMs = 75 * 60_000

/** Oldest first: IDs begin with their time. */
export const stuckOrder = [
  { name: 'id', type: 'text', direction: 'asc' },
  { name: 'account_id', type: 'uuid', direction: 'asc' },
] as const satisfies KeysetOrder

/** Lists a page of the stuck attempts of all accounts, oldest first. */
export async function listStuckAttempts(
  { sql }: Pick<Context, 'sql'>,
  { slice }: { slice: Slice },
): Promise<StuckAttempt[]> {
  const { where, end } = keyset(sql, stuckOrder, slice)
  return sql<StuckAttempt[]>`
    select account_id as "accountId", id, amount_nanos as "amountNanos", tax_nanos as "taxNanos",
      payment_intent_id as "paymentIntentId", created_at as "createdAt", called_at as "calledAt"
    from payments where ${isStuck({ sql })} ${where} ${end}`
}

/** Counts the stuck attempts of all accounts, at most `max`. */
export async function countStuckAttempts(
  { sql }: Pick<Context, 'sql'>,
  { max }: { max: number },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::float8 as total from (select from payments where ${isStuck({ sql })} limit ${max}) counted`
  return row?.total ?? 0
}

function isStuck({ sql }: Pick<Context, 'sql'>) {
  return sql`kind = 'automatic' and status = 'pending'
    and created_at < now() - ${stuckAfterMs} * interval '1 millisecond'`
}
