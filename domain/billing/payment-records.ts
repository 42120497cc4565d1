import { type KeysetOrder, keyset, type Slice } from '../../platform/postgres/keyset.ts'
import type { Context } from '../context.ts'

/** A top-up. */
export interface Payment {
  accountId: string
  id: string
  /** Whether the customer pays on Stripe's page, or a saved card is charged automatically. */
  kind: PaymentKind
  /** The credits, without tax. */
  amountNanos: bigint
  /** The tax that is paid in addition; null until it is known. */
  taxNanos: bigint | null
  /** The currency in Stripe's format: `usd`. */
  currency: string
  /** The status. `completed` is final: the amount was credited. */
  status: PaymentStatus
  /** The URL of the checkout page; null until Stripe has created the session. */
  checkoutUrl: string | null
  /** The number of errors that Stripe returned. */
  tries: number
  /** Whether the checkout page saves the card for automatic top-ups. */
  savesCard: boolean
  /** Stripe's reason for the failure of an automatic top-up, such as `insufficient_funds`; null otherwise. */
  failure: string | null
  /** The URLs of Stripe's receipt and invoice; null until Stripe has created them. */
  receiptUrl: string | null
  invoiceUrl: string | null
  invoicePdfUrl: string | null
  createdAt: Date
  completedAt: Date | null
}

export type PaymentKind = 'checkout' | 'automatic'

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
  return sql`account_id as "accountId", id, kind, amount_nanos as "amountNanos", tax_nanos as "taxNanos", currency, status,
    checkout_url as "checkoutUrl", tries, saves_card as "savesCard", failure,
    receipt_url as "receiptUrl", invoice_url as "invoiceUrl", invoice_pdf_url as "invoicePdfUrl", created_at as "createdAt", completed_at as "completedAt"`
}
