import type { RequestLabels } from '../../domain/budgets/matching-budgets.ts'
import type { Admission } from '../../domain/inference/admit-chat.ts'
import type { Produced } from '../../domain/inference/estimate-usage.ts'
import { type ChatEnd, settleChat } from '../../domain/inference/settle-chat.ts'
import { openTranscript } from '../../domain/inference/tokens/transcript.ts'
import type { RequestRecord } from '../../domain/ledger/request-record.ts'
import type { ChatModel } from '../../domain/models/model-cache.ts'
import type { DetachedTexts } from '../../platform/json/detached-texts.ts'
import type { ChargedUsage } from '../../schema/usage.ts'
import type { ChatReply } from '../../upstreams/call/call-chat.ts'
import type { Edge } from '../edge.ts'
import { beginSettlement, type RunState } from '../pipeline/paid-kind.ts'
import type { Conversation } from '../protocols/protocol.ts'

/** One admitted chat request, until its settlement. */
export interface ChatRun extends RunState {
  conversation: Conversation
  /** The long images of the request, for which `conversation` has placeholders. */
  images: DetachedTexts | undefined
  admission: Admission
  /** The model that answers: the requested one, unless a fallback answers. */
  model: ChatModel
  reply: ChatReply | undefined
  /** The answer's text so far, and its times. */
  produced: Produced
  /** When the call in progress began, by the monotonic clock. */
  callBeganAt: number | undefined
  /** Called at every keep-alive while the vendor is silent, since hidden thoughts cost money too. */
  onSilence: (() => void) | undefined
}

export function openChatRun(
  record: RequestRecord,
  parts: Pick<ChatRun, 'conversation' | 'images' | 'admission' | 'client' | 'keep'>,
): ChatRun {
  const { request } = parts.conversation
  const model = parts.admission.models[0]!
  record.model = parts.admission.model.entry.model
  record.vendor = model.entry.provider
  record.streamed = request.stream === true
  record.metadata = parts.admission.labels.metadata
  record.endUser = parts.admission.labels.endUser
  return {
    ...parts,
    record,
    model,
    reply: undefined,
    produced: {
      transcript: openTranscript(),
      thoughts: openTranscript(),
      calledAt: undefined,
      firstChunkAt: undefined,
      firstTextAt: undefined,
      lastAt: undefined,
      hadBackPressure: false,
      thinks: undefined,
    },
    callBeganAt: undefined,
    hasReachedClient: false,
    onSilence: undefined,
    isSettled: false,
  }
}

/** Returns the labels by which budgets count a request: its metadata and its end user. */
export function labelsOf({ request, metadata }: Conversation): RequestLabels {
  return { metadata, endUser: request.safety_identifier ?? request.user ?? null }
}

/** Records which model and vendor answer, and that the answer has begun. */
export function beginAnswer(run: ChatRun, reply: ChatReply): void {
  const { record } = run
  const { vendor, byokId } = reply.target
  run.reply = reply
  record.vendor = vendor
  record.byokId = byokId ?? null
  record.answeredBy = run.model.entry.model === record.model ? null : run.model.entry.model
  record.upstreamRequestId = reply.upstreamRequestId
  record.firstByteMs = performance.now() - record.begunAt
}

/** Adds the time of a call that has ended to the vendors' time. A call that did not begin has none. */
export function endCall(run: ChatRun, now: number): void {
  if (run.callBeganAt !== undefined) run.record.vendorMs += now - run.callBeganAt
  run.callBeganAt = undefined
}

/** Settles a run by how its answer ended. Resolves when that is durable. Throws the errors of `settleChat`. */
export function settleRun(
  edge: Edge,
  run: ChatRun,
  end: Pick<ChatEnd, 'ending' | 'endsMeaningfully' | 'usage' | 'isUsageFinal'>,
): Promise<void> {
  const { record, admission, produced, model } = run
  const { isDelivered } = beginSettlement(run)
  if (produced.lastAt !== undefined) record.answeredMs = produced.lastAt - record.begunAt
  const serviceTier = run.reply?.stream?.serviceTier ?? run.reply?.answer?.serviceTier
  const whole = { ...end, isDelivered, produced, model, serviceTier }
  const settling = settleChat(edge.inference, admission, { record, end: whole })
  const { lease } = run.reply?.target ?? {}
  const isMeasured = model.entry.routes !== undefined && end.ending === 'answered' && !record.byokId
  if (!lease && !isMeasured) return settling
  return settling.finally(() => {
    lease?.countTokens(record.usage.promptTokens + record.usage.completionTokens)
    if (isMeasured) recordAnswer(edge, run)
  })
}

/** Counts the tokens and the duration of an answer in the health of its route. */
function recordAnswer({ inference }: Edge, { model, record, produced }: ChatRun): void {
  const { calledAt, lastAt } = produced
  if (calledAt === undefined || lastAt === undefined) return
  const answer = { tokens: record.usage.completionTokens, durationMs: lastAt - calledAt }
  inference.routeHealth.recordAnswer(model.entry, answer)
}

/** Returns the usage and the charge of a settled run. */
export function chargedUsage({ record: { usage, costNanos } }: ChatRun): ChargedUsage {
  return { ...usage, costNanos }
}

/**
 * Settles a run that failed. The produced output is charged if the client disconnected or has a part of the stream.
 * Otherwise nothing is charged.
 */
export function settleFailedRun(edge: Edge, run: ChatRun, { isGone }: { isGone: boolean }): Promise<void> {
  const stream = run.reply?.stream
  const isCut = stream !== undefined && (isGone || run.hasReachedClient)
  // The time until the vendor's first output counts as thinking.
  if (run.produced.firstTextAt === undefined) run.produced.lastAt = edge.inference.context.clock.monotonic()
  run.produced.thinks = stream?.thinks
  return settleRun(edge, run, {
    ending: isCut ? 'cut' : 'failed',
    endsMeaningfully: false,
    usage: stream?.usage,
    isUsageFinal: stream?.isUsageFinal ?? false,
  })
}
