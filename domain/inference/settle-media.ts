import type { RequestRecord } from '../ledger/request-record.ts'
import type { MediaAdmission } from './admit-media.ts'
import type { Inference } from './open-inference.ts'
import { settleRequest } from './settle-request.ts'

/** How a request for images ended. */
export interface MediaEnd {
  /** How many files came back: nothing is charged for those that did not. */
  made: number
  /** The client has left: it is charged however long settling takes. */
  isDelivered: boolean
}

/**
 * Settles a request for images: charges what came back, or releases its hold, and logs it. Resolves when that is durable.
 * Throws what `settleRequest` throws.
 */
export async function settleMedia(
  inference: Inference,
  { model, parameters, allowed, reservation }: MediaAdmission,
  { record, end }: { record: RequestRecord; end: MediaEnd },
): Promise<void> {
  const isCharged = end.made > 0 && record.byokId === null
  const produced = parameters.n === undefined ? parameters : { ...parameters, n: end.made }
  const price = isCharged ? model.price.explain(produced) : undefined
  await settleRequest(inference, record, { allowed, reservation, price, isDelivered: end.isDelivered })
}
