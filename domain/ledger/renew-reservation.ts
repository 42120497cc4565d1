import type { Patience } from '../../platform/patience.ts'
import { followRevision, type HeldReservation, type HoldBudgets, holdName } from './hold.ts'
import type { Ledger } from './ledger.ts'
import { queueHoldUpdate } from './recall-headroom.ts'
import { reserve } from './reserve.ts'

/** The current state of a key, for a request that has reserved money. */
export interface CurrentKey {
  keyRevision: bigint
  /** The budgets that count the request now. */
  budgets?: HoldBudgets
  patience: Patience
}

/**
 * Reserves a request's money again if its key has changed since, before the vendor is called, so that the current
 * limits and budgets apply. Throws `insufficient_credits`, `credit_limit_reached`, `budget_limit_reached` or
 * `unavailable`; nothing is reserved then.
 */
export function renewReservation(
  ledger: Ledger,
  reservation: HeldReservation | undefined,
  key: CurrentKey,
): Promise<void> | undefined {
  if (!reservation) return undefined
  if (reservation.revision < key.keyRevision) {
    // While a renewal runs, and after it has failed, the reservation is empty.
    const renewAgain = () => renew(ledger, reservation, key)
    reservation.renewing = reservation.renewing ? reservation.renewing.then(renewAgain) : renewAgain()
  }
  return reservation.renewing
}

async function renew(
  ledger: Ledger,
  reservation: HeldReservation,
  { keyRevision, budgets, patience }: CurrentKey,
): Promise<void> {
  const { hold, amountNanos } = reservation
  const { accountId, keyId } = hold
  reservation.revision = keyRevision
  reservation.amountNanos = 0n
  hold.reservedNanos -= amountNanos
  followRevision(hold, keyRevision)
  hold.isStale = true
  if (holdName({ keyId, budgets }) !== holdName(hold)) queueHoldUpdate(ledger, hold)
  const amounts = { amountNanos, minimumNanos: amountNanos }
  const { renewing: _, ...renewed } = await reserve(ledger, {
    accountId,
    keyId,
    budgets,
    keyRevision,
    patience,
    ...amounts,
  })
  Object.assign(reservation, renewed)
}
