import { dollars } from '../../platform/money.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { changeCredits } from './change-credits.ts'

/** A change of a balance that an operator makes by hand. */
export interface Adjustment {
  accountId: string
  /** Added when positive, taken away when negative. */
  amountNanos: bigint
  /** What it stands for, unique within the account: making it again changes nothing. */
  source: string
  /** Kept with the transaction. */
  reason: string
  /** The row of the audit log that says in the same statement that it was done. */
  actionId?: string | undefined
}

/** What became of it. */
export interface Adjusted {
  transactionId: string
  /** False where an adjustment with this source had been made before. */
  isNew: boolean
  creditsNanos: bigint
  heldNanos: bigint
}

/**
 * Changes a balance by hand, once per source, with a transaction that says why. Never takes what is held.
 * Throws `insufficient_credits` where it would, and `conflict` where the source stands for another amount.
 */
export async function adjustCredits(
  context: Pick<Context, 'sql'>,
  adjustment: Adjustment,
): Promise<Adjusted> {
  const { amountNanos } = adjustment
  const paymentMethod = amountNanos < 0n ? 'adjustment' : 'grant'
  const changed = await changeCredits(context, { ...adjustment, paymentMethod, withinAvailable: true })
  if (changed.state === 'short') throw tooMuch(changed)
  if (changed.enteredNanos !== amountNanos) {
    const before = dollars(changed.enteredNanos)
    throw new Problem('conflict', { message: `This id stands for another amount already: $${before}.` })
  }
  const { state, transactionId, creditsNanos, heldNanos } = changed
  return { transactionId, isNew: state === 'entered', creditsNanos, heldNanos }
}

function tooMuch({ creditsNanos, heldNanos }: Pick<Adjusted, 'creditsNanos' | 'heldNanos'>): Problem {
  const availableNanos = creditsNanos - heldNanos
  const most = dollars(availableNanos > 0n ? availableNanos : 0n)
  const held = `of $${dollars(creditsNanos)} $${dollars(heldNanos)} are held for requests`
  return new Problem('insufficient_credits', { message: `At most $${most} can be taken: ${held}.` })
}

export interface Credit {
  accountId: string
  amountNanos: bigint
  /** What it stands for, unique within the account: a payment, a grant. Crediting it again does nothing. */
  source: string
  /** `stripe`, `grant`, … (docs/behaviour.md, Management API). */
  paymentMethod: string
}

/** Adds money to an account, once per source. Resolves to whether it was added now. */
export async function creditAccount(context: Pick<Context, 'sql'>, credit: Credit): Promise<boolean> {
  return (await changeCredits(context, credit)).state === 'entered'
}
