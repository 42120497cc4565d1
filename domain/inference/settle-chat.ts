import type { Usage } from '../../schema/usage.ts'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import { settle } from '../ledger/settle.ts'
import type { ChatModel } from '../models/model-book.ts'
import { presentTerms } from '../pricing/present-terms.ts'
import { correctTokens } from '../rates/check-rate.ts'
import type { Admission } from './admit-chat.ts'
import { estimateProduced, estimateTokens, measurePrompt } from './count-prompt.ts'
import type { Inference } from './open-inference.ts'

/** How a chat request ended. */
export interface ChatOutcome {
  requestId: string
  /** When it arrived, in milliseconds since 1970. */
  startedAt: number
  /** As the log names it: `chat.completions`, `responses`. */
  route: string
  request: ChatRequest
  clientAddress: string
  /** HTTP status; 499 when the client left. */
  status: number
  errorCode: string | null
  /** What the vendor counted. */
  usage: Usage | undefined
  /** The client left before the end: what the vendor counted so far may miss the answer. */
  isCutShort?: boolean
  /** Characters that reached the client, for an estimate where the vendor counted nothing. */
  producedCharacters: number
  /** False for a failure and for an answer with nothing in it: neither is charged. */
  isCharged: boolean
  /** The model that answered, or was asked for where none did. */
  model: ChatModel
  vendor: string | null
  byokId: string | null
  upstreamRequestId: string | null
  firstByteMs: number | null
}

export interface Settled {
  usage: Usage
  costNanos: bigint
}

/**
 * Settles a chat request: charges what it used, or releases its hold, and logs it. Resolves when that is durable.
 * Throws what `settle` throws; nothing was charged then.
 */
export async function settleChat(
  inference: Inference,
  admission: Admission,
  outcome: ChatOutcome,
): Promise<Settled> {
  const { context, ledger, rates } = inference
  const { allowed, models } = admission
  const { model } = outcome
  const asked = models[0]!.entry.model
  const told = outcome.usage && isSound(outcome.usage) ? outcome.usage : undefined
  const isEstimated = outcome.isCharged && (!told || outcome.isCutShort === true)
  const usage = isEstimated ? estimateOf(outcome, told) : (told ?? nothing)
  const priced = { ...usage, images: admission.prompt.images }
  const explained = outcome.isCharged && !outcome.byokId ? model.price.explain(priced) : undefined
  const costNanos = await settle(ledger, admission.reservation, {
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
    streamed: outcome.request.stream === true,
    status: outcome.status,
    errorCode: outcome.errorCode,
    ...usage,
    usageEstimated: isEstimated,
    costNanos: explained?.amountNanos ?? 0n,
    costTerms: explained ? JSON.stringify(presentTerms(explained.terms)) : null,
    endUser: outcome.request.safety_identifier ?? outcome.request.user ?? null,
    clientAddress: outcome.clientAddress,
    upstreamRequestId: outcome.upstreamRequestId,
    firstByteMs: outcome.firstByteMs,
    durationMs: context.clock.now() - outcome.startedAt,
  })
  const { question, answer } = allowed
  void correctTokens(rates, { question, answer, tokens: usage.promptTokens + usage.completionTokens })
  return { usage, costNanos }
}

const nothing: Usage = {
  promptTokens: 0,
  cachedTokens: 0,
  cacheCreationTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
}

/** The vendor's own figures as far as they go, else by the size of prompt and answer. */
function estimateOf({ request, producedCharacters }: ChatOutcome, told: Usage | undefined): Usage {
  const completionTokens = Math.max(told?.completionTokens ?? 0, estimateProduced(producedCharacters))
  const promptTokens = told?.promptTokens ?? estimateTokens(measurePrompt(request))
  return { ...nothing, ...told, promptTokens, completionTokens }
}

/** Whole numbers of tokens, none below zero: a vendor that says anything else is not believed. */
function isSound(usage: Usage): boolean {
  return Object.values(usage).every(count => Number.isSafeInteger(count) && count >= 0)
}
