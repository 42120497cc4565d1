import type { Reservation } from '../ledger/hold.ts'
import { renewReservation } from '../ledger/renew-reservation.ts'
import { type Allowed, recheckKey } from './check-key-and-rate.ts'
import type { Inference } from './open-inference.ts'

/** A request whose money is reserved, and whose vendor is not called yet. */
interface Payer {
  allowed: Allowed
  reservation: Reservation | undefined
}

/**
 * Checks the key before an upstream call, as `recheckKey` does. Where the key changed since the money was reserved, that
 * is reserved again. Undefined where both were checked just now. Throws what `recheckKey` and `reserve` throw.
 */
export function recheckPayer(inference: Inference, payer: Payer): Promise<void> | undefined {
  const { allowed, reservation } = payer
  const renewed = () => {
    const { key, patience } = allowed
    return renewReservation(inference.ledger, reservation, { keyRevision: key.revision, patience })
  }
  return recheckKey(inference, allowed)?.then(renewed) ?? renewed()
}
