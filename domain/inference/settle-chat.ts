import { noUsage, type Usage } from '../../schema/usage.ts'
import { extendReservation } from '../ledger/extend-reservation.ts'
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
   * `answered`: charged, unless there was nothing in it. `cut`: the client left, or the vendor broke off after the
   * client had some of it: charged for what was produced. `failed`: nothing is charged.
   */
  ending: 'answered' | 'cut' | 'failed'
  /** It ended at its limit or in a filter: that is an answer, whatever it says. */
  endsMeaningfully: boolean
  /** The client has a part of the answer, or has left: it is charged however long settling takes. */
  isDelivered: boolean
  /** What the vendor counted, and whether that is all of the answer. */
  usage: Usage | undefined
  isUsageFinal: boolean
  /** What is known beside that. */
  produced: Produced
  /** The model that answered, or was asked for where none did. */
  model: ChatModel
}

/**
 * Settles a chat request: counts what it used, charges it or releases its hold, and logs it. `record` then says what
 * was used and charged. Resolves when that is durable. Throws what `settle` throws.
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
  const used = { ...usage, images: admission.prompt.images }
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
  // A whole answer that is not streamed has all of its text at its end.
  if (request.stream) inference.thinkingRates.learn(model.entry.id, { usage, produced: end.produced })
}

/** What the count of a vendor is worth. */
interface Count {
  /** The count, where it can be believed. */
  reported: Usage | undefined
  /** The most that the answer may have, in tokens, all choices together. */
  maxTokens: number
  isCharged: boolean
  /** It does not count all of an answer that is charged. */
  isEstimated: boolean
}

/** Reads the vendor's count. An answer in which nothing was said and nothing counted is none, and is not charged. */
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

/** The usage of an answer that its vendor did not count, or not all of it. */
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

/** Holds what a stream that names no maximum costs. Where there is no more, the rest is ours. */
async function growTo(
  { ledger, context }: Inference,
  reservation: Reservation,
  costNanos: bigint,
): Promise<void> {
  const moreNanos = costNanos - reservation.amountNanos
  await extendReservation(ledger, reservation, { moreNanos, minimumNanos: 1n }).catch(error =>
    context.log.warn({ err: error }, 'a reservation did not grow to its cost'),
  )
}
