import { noUsage, type Usage } from '../../schema/usage.ts'
import type { Reservation } from '../ledger/hold.ts'
import type { RequestRecord } from '../ledger/request-record.ts'
import type { ChatModel } from '../models/model-cache.ts'
import { type Admission, outputTokensOf } from './admit-chat.ts'
import { cachedShareOf, rememberCachedShare } from './cached-share.ts'
import { believableUsage, estimateUsage, type Produced } from './estimate-usage.ts'
import type { Inference } from './open-inference.ts'
import { settleRequest } from './settle-request.ts'

/** How a chat request ended. */
export interface ChatEnd {
  /**
   * `answered`: charged, unless the answer is empty. `cut`: charged for the produced part, because the client left, or the
   * vendor broke off after the client had some of it. `failed`: not charged.
   */
  ending: 'answered' | 'cut' | 'failed'
  /** Whether it ended at its limit or in a filter, which makes it an answer even if it is empty. */
  endsMeaningfully: boolean
  /** Whether the client has a part of the answer, or has left. It is then charged even if settlement takes long. */
  isDelivered: boolean
  /** The vendor's count. */
  usage: Usage | undefined
  /** Whether the count covers the whole answer. */
  isUsageFinal: boolean
  /** The service tier that the vendor reported; undefined if it reported none. */
  serviceTier: string | undefined
  /** The text and times of the answer. */
  produced: Produced
  /** The model that answered, or the requested one if none did. */
  model: ChatModel
}

/**
 * Settles a chat request: counts its usage, charges it or releases its hold, and logs it. `record` then has the usage and
 * the charge. Resolves when that is durable. Throws the errors of `settle`.
 */
export async function settleChat(
  inference: Inference,
  admission: Admission,
  { record, end }: { record: RequestRecord; end: ChatEnd },
): Promise<void> {
  const { allowed, request, reservation, grows } = admission
  const { model } = end
  const count = readCount(admission, end)
  const { reported, isCharged, isEstimated } = count
  const usage = isEstimated ? await estimate(inference, admission, { end, count }) : (reported ?? noUsage)
  const requestedTier = request.service_tier ?? undefined
  const used = { ...usage, images: admission.prompt.images, requestedTier, reportedTier: end.serviceTier }
  const price = isCharged && !record.byokId ? model.price.explain(used) : undefined
  if (price && reservation && grows && price.amountNanos > reservation.amountNanos) {
    await growTo(inference, reservation, price.amountNanos)
  }
  record.usage = usage
  record.usageEstimated = isEstimated
  await settleRequest(inference, record, { allowed, reservation, price, isDelivered: end.isDelivered })
  if (!price || isEstimated) return
  const { accountId } = allowed.key
  rememberCachedShare(inference, { accountId, entry: model.entry, request }, usage)
  // The text of an answer that is not streamed arrives at its end, so its times show nothing.
  if (request.stream) inference.thinkingRates.learn(model.entry.id, { usage, produced: end.produced })
}

/** The assessment of a vendor's count. */
interface Count {
  /** The count, if it is plausible. */
  reported: Usage | undefined
  /** The maximum tokens of all choices together. */
  maxTokens: number
  isCharged: boolean
  /** Whether the usage must be estimated, because the count does not cover all of a charged answer. */
  isEstimated: boolean
}

/** Assesses the vendor's count. An answer without text and without counted tokens is not charged. */
function readCount(admission: Admission, end: ChatEnd): Count {
  const { model, produced, ending } = end
  const maxTokens = outputTokensOf(admission, model) * admission.choices
  const reported = end.usage && believableUsage(end.usage, { entry: model.entry, maxTokens })
  if (ending === 'failed') return { reported, maxTokens, isCharged: false, isEstimated: false }
  const isSaid = produced.transcript.characters + produced.thoughts.characters > 0
  const isCounted = reported !== undefined && reported.completionTokens > 0
  const isCharged = ending === 'cut' || isSaid || isCounted || end.endsMeaningfully
  const isWhole = reported !== undefined && reported.promptTokens > 0 && (isCounted || !isSaid)
  return { reported, maxTokens, isCharged, isEstimated: isCharged && !(isWhole && end.isUsageFinal) }
}

/** Estimates the usage of an answer that its vendor did not count completely. */
function estimate(
  inference: Inference,
  { allowed, request }: Admission,
  { end, count: { reported, maxTokens } }: { end: ChatEnd; count: Count },
): Promise<Usage> {
  const { produced, model } = end
  const { entry } = model
  const { accountId } = allowed.key
  const cachedTokens = () => cachedShareOf(inference, { accountId, entry, request })
  const thoughtsPerMs = inference.thinkingRates.perMs(entry.id)
  const known = { entry, request, produced, reported, maxTokens, thoughtsPerMs, cachedTokens }
  return estimateUsage(inference.tokenizer, known)
}

/** Grows the hold of a stream without a maximum to its cost. The account is not charged for the part that is not available. */
async function growTo(
  { ledger, context }: Inference,
  reservation: Reservation,
  costNanos: bigint,
): Promise<void> {
  const moreNanos = costNanos - reservation.amountNanos
  await ledger
    .extend(reservation, { moreNanos, minimumNanos: 1n })
    .catch(error => context.log.warn({ err: error }, 'a reservation did not grow to its cost'))
}
