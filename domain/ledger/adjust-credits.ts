import { dollars } from '../../platform/money.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { changeCredits } from './change-credits.ts'

/** A manual change of a balance by an operator. */
export interface Adjustment {
  accountId: string
  /** The amount in nano-dollars. A negative amount is subtracted. */
  amountNanos: bigint
  /** The ID of the adjustment, unique within the account. Repeating it changes nothing. */
  source: string
  /** The reason, stored with the transaction. */
  reason: string
  /** The ID of the audit log row, which the same statement marks as done. */
  actionId?: string | undefined
}

/** The result of an adjustment. */
export interface Adjusted {
  transactionId: string
  /** Whether the adjustment was made by this call. False if an adjustment with this source already existed. */
  isNew: boolean
  creditsNanos: bigint
  heldNanos: bigint
}

/**
 * Changes a balance manually, once per `source`, and adds a transaction with the reason. Never takes money that is
 * held. Throws `insufficient_credits` if the available amount is too low, and `conflict` if the source was used with
 * another amount.
 */
export async function adjustCredits(
  context: Pick<Context, 'sql'>,
  adjustment: Adjustment,
): Promise<Adjusted> {
  const { amountNanos } = adjustment
  const paymentMethod = amountNanos < 0n ? 'adjustment' : 'grant'
  const changed = await changeCredits(context, { ...adjustment, paymentMethod, withinAvailable: true })
  if (changed.state === 'short') throw moreThanAvailable(changed)
  if (changed.enteredNanos !== amountNanos) {
    const before = dollars(changed.enteredNanos)
    throw new Problem('conflict', { message: `This ID was already used with another amount: $${before}.` })
  }
  const { state, transactionId, creditsNanos, heldNanos } = changed
  return { transactionId, isNew: state === 'entered', creditsNanos, heldNanos }
}

function moreThanAvailable({
  creditsNanos,
  heldNanos,
}: Pick<Adjusted, 'creditsNanos' | 'heldNanos'>): Problem {
  const availableNanos = creditsNanos - heldNanos
  const max = dollars(availableNanos > 0n ? availableNanos : 0n)
  const held = `$${dollars(heldNanos)} of $${dollars(creditsNanos)} is held for requests`
  return new Problem('insufficient_credits', { message: `At most $${max} can be removed: ${held}.` })
}

export interface Credit {
  accountId: string
  amountNanos: bigint
  /** The payment or grant, unique within the account. Crediting it again does nothing. */
  source: string
  /** The payment method: `stripe`, `grant`, … (docs/behaviour.md, Management API). */
  paymentMethod: string
}

/** Adds money to an account, once per source. Resolves to whether it was added by this call. */
export async function creditAccount(context: Pick<Context, 'sql'>, credit: Credit): Promise<boolean> {
  return (await changeCredits(context, credit)).state === 'entered'
}
