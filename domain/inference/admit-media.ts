import type { Reservation } from '../ledger/hold.ts'
import type { CheckedParameters } from '../models/compile-parameters.ts'
import type { MediaModel } from '../models/model-cache.ts'
import type { Explanation } from '../pricing/calculate-price.ts'
import { findPayer, type Paying } from './check-key-and-rate.ts'
import type { Inference } from './open-inference.ts'
import { requireConfirmed } from './require-confirmed.ts'

/** A request for images that its key and its rates allow, and that is answered within the request. */
export interface MediaAdmission extends Paying {
  model: MediaModel
  parameters: CheckedParameters
  /** Its reserved price; undefined before it is reserved. */
  reservation: Reservation | undefined
}

/**
 * Reserves the whole price of an admitted request, once. Throws `insufficient_credits`, `credit_limit_reached`,
 * `budget_limit_reached`, `email_not_confirmed`, `unavailable`.
 */
export async function holdMedia(inference: Inference, admission: MediaAdmission): Promise<void> {
  if (admission.reservation) return
  const { model, parameters, allowed } = admission
  requireConfirmed(inference.context.config, allowed.key)
  const amountNanos = model.price.price(parameters)
  const amounts = { amountNanos, minimumNanos: amountNanos }
  const payer = await findPayer(inference, admission)
  admission.reservation = await inference.ledger.reserve({ ...payer, ...amounts })
}

/** Returns the price of the files that were made; undefined if there are none. */
export function priceOfMade({ model, parameters }: MediaAdmission, made: number): Explanation | undefined {
  if (made === 0) return undefined
  return model.price.explain(parameters.n === undefined ? parameters : { ...parameters, n: made })
}
