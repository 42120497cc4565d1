import type { Context } from '../context.ts'

/** A change of credits that is no charge of a request or task. */
export interface CreditChange {
  accountId: string
  /** Added when positive, taken away when negative. */
  amountNanos: bigint
  /** What it stands for, unique within the account: under one that is known nothing changes. */
  source: string
  paymentMethod: string
  /** Kept with the transaction. */
  reason?: string
  /** Takes nothing that is not there, or is held. Without it credits may go below zero. */
  withinAvailable?: boolean
  /** The row of the audit log that says in the same statement that it was done. */
  actionId?: string | undefined
}

/** What became of it, and the balance afterwards. */
export type CreditsChanged = {
  /** What stands under the source, nano-dollars. */
  enteredNanos: bigint
  creditsNanos: bigint
  heldNanos: bigint
} & ({ state: 'entered' | 'known'; transactionId: string } | { state: 'short' })

/** Changes the credits of an account, with its transaction (schema/statements/change-credits.sql). */
export async function changeCredits(
  { sql }: Pick<Context, 'sql'>,
  change: CreditChange,
): Promise<CreditsChanged> {
  const { accountId, amountNanos, source, paymentMethod, reason, withinAvailable = false, actionId } = change
  const [changed] = await sql<CreditsChanged[]>`
    with changed as materialized (
      select * from change_credits(${accountId}, ${source}, ${amountNanos}, ${paymentMethod}, ${reason ?? null},
        ${withinAvailable})
    ), marked as (
      update audit_log a set state = 'done', target_type = 'Transaction', target_id = changed.transaction_id
      from changed where a.account_id = ${accountId} and a.id = ${actionId ?? null} and changed.state <> 'short'
    )
    select state, transaction_id as "transactionId", coalesce(entered_nanos, 0) as "enteredNanos",
      credits as "creditsNanos", held as "heldNanos"
    from changed`
  if (!changed) throw new Error('change_credits answered nothing')
  return changed
}
