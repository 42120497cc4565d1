import type { Reservation } from '../ledger/hold.ts'
import { findPayer, isRecentlyChecked, type Paying, recheckKey } from './check-key-and-rate.ts'
import type { Inference } from './open-inference.ts'

/** A request with reserved money whose vendor has not been called yet. */
interface Reserved extends Paying {
  reservation: Reservation | undefined
}

/**
 * Checks the key before an upstream call, as `recheckKey` does. If the key changed since the money was reserved, the money
 * is reserved again. Returns undefined if nothing is to be awaited: the key was checked recently and has not changed. Throws
 * the errors of `recheckKey`, `findPayer` and `reserve`.
 */
export function recheckPayer(inference: Inference, reserved: Reserved): Promise<void> | undefined {
  const { allowed, reservation } = reserved
  const isCurrent = !reservation || (!reservation.renewing && reservation.revision >= allowed.key.revision)
  return isCurrent && isRecentlyChecked(inference, allowed) ? undefined : recheck(inference, reserved)
}

async function recheck(inference: Inference, reserved: Reserved): Promise<void> {
  await recheckKey(inference, reserved.allowed)
  const payer = await findPayer(inference, reserved)
  await inference.ledger.renew(reserved.reservation, payer)
}
