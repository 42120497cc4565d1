import type { Usage } from '../../schema/usage.ts'
import { extendReservation } from '../ledger/extend-reservation.ts'
import type { Reservation } from '../ledger/hold.ts'
import type { RequestRecord } from '../ledger/request-record.ts'
import { settle } from '../ledger/settle.ts'
import { type AttemptRecord, attemptsText } from '../logs/request-log.ts'
import type { ChatModel } from '../models/model-cache.ts'
import { capped } from '../pricing/add-up.ts'
import { presentTerms } from '../pricing/present-pricing.ts'
import { correctTokens } from '../rates/check-rate.ts'
import { type Admission, outputTokensOf } from './admit-chat.ts'
import { believableUsage } from './believable-usage.ts'
import { cachedShareOf, rememberCachedShare } from './cached-share.ts'
import { estimateUsage, type Produced } from './estimate-usage.ts'
import type { Inference } from './open-inference.ts'

/** How a chat request ended. */
export interface ChatOutcome {
  requestId: string
  /** When it arrived, in milliseconds since 1970. */
  startedAt: number
  /** The same moment on the monotonic clock. */
  begunAt: number
  /** As the log names it: `chat.completions`, `responses`. */
  route: string
  clientAddress: string
  /** HTTP status; 499 when the client left. */
  status: number
  errorCode: string | null
  /**
   * `answered`: charged, unless there was nothing in it. `cut`: the client left, or the vendor broke off after the
   * client had some of it: charged for what was produced. `failed`: nothing is charged.
   */
  ending: 'answered' | 'cut' | 'failed'
  /** It ended at its limit or in a filter: that is an answer, whatever it says. */
  endsMeaningfully: boolean
  /** The client has a part of the answer, or has left: it is charged however long settling takes. */
  isDelivered?: boolean
  /** What the vendor counted, and whether that is all of the answer. */
  usage: Usage | undefined
  isUsageFinal: boolean
  /** What is known beside that. */
  produced: Produced
  /** The model that answered, or was asked for where none did. */
  model: ChatModel
  vendor: string | null
  byokId: string | null
  upstreamRequestId: string | null
  firstByteMs: number | null
  /** Empty where the first attempt succeeded. */
  attempts: readonly AttemptRecord[]
}

export interface Settled {
  usage: Usage
  costNanos: bigint
}

/**
 * Settles a chat request: charges what it used, or releases its hold, and logs it. Resolves when that is durable.
 * Throws what `settle` throws.
 */
export async function settleChat(
  inference: Inference,
  admission: Admission,
  outcome: ChatOutcome,
): Promise<Settled> {
  const { context, ledger, rates } = inference
  const { allowed, models, request, reservation, grows } = admission
  const { model } = outcome
  const asked = models[0]!.entry.model
  const count = readCount(admission, outcome)
  const { told, isCharged, isEstimated } = count
  const usage = isEstimated ? await estimate(inference, admission, { outcome, count }) : (told ?? nothing)
  const priced = { ...usage, images: admission.prompt.images }
  const explained = isCharged && !outcome.byokId ? model.price.explain(priced) : undefined
  if (explained && reservation && grows && explained.amountNanos > reservation.amountNanos) {
    await growTo(inference, reservation, explained.amountNanos)
  }
  const record: RequestRecord = {
    accountId: allowed.key.accountId,
    keyId: allowed.key.keyId,
    requestId: outcome.requestId,
    transactionId: context.ids.tagged('txn_'),
    createdAt: outcome.startedAt,
    route: outcome.route,
    model: asked,
    answeredBy: model.entry.model === asked ? null : model.entry.model,
    vendor: outcome.vendor,
    byokId: outcome.byokId,
    streamed: request.stream === true,
    status: outcome.status,
    errorCode: outcome.errorCode,
    ...usage,
    usageEstimated: isEstimated,
    costNanos: explained?.amountNanos ?? 0n,
    costTerms: explained
      ? chargedNanos => JSON.stringify(presentTerms(capped(explained, chargedNanos).terms))
      : null,
    endUser: request.safety_identifier ?? request.user ?? null,
    clientAddress: outcome.clientAddress,
    upstreamRequestId: outcome.upstreamRequestId,
    firstByteMs: outcome.firstByteMs,
    durationMs: context.clock.monotonic() - outcome.begunAt,
    attempts: attemptsText(outcome.attempts),
  }
  const { isDelivered = false } = outcome
  const costNanos = await settle(ledger, reservation, record, { isDelivered })
  if (explained && !isEstimated) {
    const { accountId } = allowed.key
    rememberCachedShare(inference, { accountId, entry: model.entry, request }, usage)
  }
  const { question, answer } = allowed
  void correctTokens(rates, {
    request: question,
    result: answer,
    tokens: usage.promptTokens + usage.completionTokens,
  })
  return { usage, costNanos }
}

const nothing: Usage = {
  promptTokens: 0,
  cachedTokens: 0,
  cacheCreationTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
}

/** What the count of a vendor is worth. */
interface Count {
  /** The count, where it can be believed. */
  told: Usage | undefined
  /** The most that the answer may have, in tokens, all choices together. */
  mostTokens: number
  isCharged: boolean
  /** It does not count all of an answer that is charged. */
  isEstimated: boolean
}

/** Reads the vendor's count. An answer in which nothing was said and nothing counted is none, and is not charged. */
function readCount(admission: Admission, outcome: ChatOutcome): Count {
  const { model, produced, ending } = outcome
  const mostTokens = outputTokensOf(admission, model) * admission.choices
  const told = outcome.usage && believableUsage(outcome.usage, { entry: model.entry, mostTokens })
  if (ending === 'failed') return { told, mostTokens, isCharged: false, isEstimated: false }
  const isSaid = produced.transcript.characters + produced.thoughts.characters > 0
  const isCounted = told !== undefined && told.completionTokens > 0
  const isCharged = ending === 'cut' || isSaid || isCounted || outcome.endsMeaningfully
  const isWhole = told !== undefined && told.promptTokens > 0 && (isCounted || !isSaid)
  return { told, mostTokens, isCharged, isEstimated: isCharged && !(isWhole && outcome.isUsageFinal) }
}

/** The usage of an answer that its vendor did not count, or not all of it. */
function estimate(
  inference: Inference,
  { allowed, request }: Admission,
  { outcome, count: { told, mostTokens } }: { outcome: ChatOutcome; count: Count },
): Promise<Usage> {
  const { produced, model } = outcome
  const { entry } = model
  const { accountId } = allowed.key
  const cachedTokens = () => cachedShareOf(inference, { accountId, entry, request })
  return estimateUsage(inference.tokenizer, { entry, request, produced, told, mostTokens, cachedTokens })
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
