import type { Reservation } from '../ledger/hold.ts'
import { reserve } from '../ledger/reserve.ts'
import type { CheckedParameters } from '../models/compile-parameters.ts'
import type { MediaModel } from '../models/model-cache.ts'
import { type Allowed, payerOf } from './check-key-and-rate.ts'
import type { Inference } from './open-inference.ts'
import { requireConfirmed } from './require-confirmed.ts'

/** A request for images that is answered at once, and may run: its key stands and it is within its rates. */
export interface MediaAdmission {
  allowed: Allowed
  model: MediaModel
  parameters: CheckedParameters
  /** What it costs, once held. */
  reservation: Reservation | undefined
}

/**
 * Holds the price of an admitted request, once: all of it, or nothing. Throws `insufficient_credits`,
 * `credit_limit_reached`, `email_not_confirmed`, `unavailable`.
 */
export async function holdMedia(
  { context: { config }, ledger }: Inference,
  admission: MediaAdmission,
): Promise<void> {
  if (admission.reservation) return
  const { model, parameters, allowed } = admission
  requireConfirmed(config, allowed.key)
  const amountNanos = model.price.price(parameters)
  const amounts = { amountNanos, minimumNanos: amountNanos }
  admission.reservation = await reserve(ledger, { ...payerOf(allowed), ...amounts })
}
