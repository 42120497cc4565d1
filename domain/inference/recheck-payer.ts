import type { Reservation } from '../ledger/hold.ts'
import { renewReservation } from '../ledger/renew-reservation.ts'
import { findPayer, isRecentlyChecked, type Paying, recheckKey } from './check-key-and-rate.ts'
import type { Inference } from './open-inference.ts'

/** A request with reserved money whose vendor has not been called yet. */
interface Reserved extends Paying {
  reservation: Reservation | undefined
}

/** Whether `recheckPayer` has nothing to do: the key was checked recently and has not changed since the reservation. */
export function isPayerCurrent(inference: Inference, { allowed, reservation }: Reserved): boolean {
  if (!isRecentlyChecked(inference, allowed)) return false
  return !reservation || (!reservation.renewing && reservation.revision >= allowed.key.revision)
}

/**
 * Checks the key before an upstream call, as `recheckKey` does. If the key changed since the money was reserved, the money
 * is reserved again. Throws the errors of `recheckKey`, `findPayer` and `reserve`.
 */
export async function recheckPayer(inference: Inference, reserved: Reserved): Promise<void> {
  await recheckKey(inference, reserved.allowed)
  const payer = await findPayer(inference, reserved)
  await renewReservation(inference.ledger, reserved.reservation, payer)
}
