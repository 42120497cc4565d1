import type { Context } from '../context.ts'

/** A change of credits that is not a charge. */
export interface CreditChange {
  accountId: string
  /** The amount in nano-dollars. A negative amount is subtracted. */
  amountNanos: bigint
  /** The ID of the change, unique within the account. If it is already known, nothing changes. */
  source: string
  paymentMethod: string
  /** The reason, stored with the transaction. */
  reason?: string
  /** Whether the change fails if `available` is too low. Otherwise credits can become negative. */
  withinAvailable?: boolean
  /** The ID of the audit log row, which the same statement marks as done. */
  actionId?: string | undefined
}

/** The result of a change, with the balance after it. */
export type CreditsChanged = {
  /** The amount stored for the source, in nano-dollars. */
  enteredNanos: bigint
  creditsNanos: bigint
  heldNanos: bigint
} & ({ state: 'entered' | 'known'; transactionId: string } | { state: 'short' })

/** Changes the credits of an account and adds the transaction (schema/statements/change-credits.sql). */
export async function changeCredits(
  { sql }: Pick<Context, 'sql'>,
  change: CreditChange,
): Promise<CreditsChanged> {
  const { accountId, amountNanos, source, paymentMethod, reason, withinAvailable = false, actionId } = change
  const [changed] = await sql<CreditsChanged[]>`
    select state, transaction_id as "transactionId", coalesce(entered_nanos, 0) as "enteredNanos",
      credits as "creditsNanos", held as "heldNanos"
    from change_credits(${accountId}, ${source}, ${amountNanos}, ${paymentMethod}, ${reason ?? null},
      ${withinAvailable}, ${actionId ?? null})`
  if (!changed) throw new Error('change_credits returned no row')
  return changed
}
