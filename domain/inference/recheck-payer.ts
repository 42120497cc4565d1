import type { Reservation } from '../ledger/hold.ts'
import { renewReservation } from '../ledger/renew-reservation.ts'
import { type Allowed, recheckKey } from './check-key-and-rate.ts'
import type { Inference } from './open-inference.ts'

/** A request with reserved money whose vendor has not been called yet. */
interface Payer {
  allowed: Allowed
  reservation: Reservation | undefined
}

/**
 * Checks the key before an upstream call, as `recheckKey` does. If the key changed since the money was reserved, the money
 * is reserved again. Throws the errors of `recheckKey` and `reserve`.
 */
export async function recheckPayer(inference: Inference, { allowed, reservation }: Payer): Promise<void> {
  await recheckKey(inference, allowed)
  const { key, patience } = allowed
  await renewReservation(inference.ledger, reservation, { keyRevision: key.revision, patience })
}
