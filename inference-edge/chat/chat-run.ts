import type { OnceRequest } from '../../domain/idempotency/run-once.ts'
import type { Admission } from '../../domain/inference/admit-chat.ts'
import type { Produced } from '../../domain/inference/estimate-usage.ts'
import { type ChatEnd, settleChat } from '../../domain/inference/settle-chat.ts'
import { openTranscript } from '../../domain/inference/tokens/transcript.ts'
import { type RequestRecord, recordLeaving } from '../../domain/ledger/request-record.ts'
import type { ChatModel } from '../../domain/models/model-cache.ts'
import { Problem } from '../../schema/errors.ts'
import type { ChatReply } from '../../upstreams/call/call-chat.ts'
import { problemIn, UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import type { WatchedClient } from '../pipeline/watch-client.ts'
import type { Conversation } from '../protocols/protocol.ts'
import { ClientGone } from '../sse/client-stream.ts'

/** One admitted chat request on its way to its settlement. */
export interface ChatRun {
  /** What is known of the request, filled in as it goes; its id and time may be those of an earlier try. */
  record: RequestRecord
  conversation: Conversation
  admission: Admission
  /** The model that answers: the one asked for, until another has. */
  model: ChatModel
  reply: ChatReply | undefined
  /** What the answer has said so far, and when. */
  produced: Produced
  /** Something of the answer has been sent to the client. */
  hasReachedClient: boolean
  /** Called now and then while the vendor is silent: thoughts cost, too. */
  inSilence: (() => void) | undefined
  client: WatchedClient
  isSettled: boolean
  /** Keeps the whole answer before its last bytes leave; absent where the client sent no `Idempotency-Key`. */
  keep: OnceRequest['keep'] | undefined
}

export function openChatRun(
  record: RequestRecord,
  { conversation, admission, keep, client }: Pick<ChatRun, 'conversation' | 'admission' | 'keep' | 'client'>,
): ChatRun {
  const { request } = conversation
  const model = admission.models[0]!
  record.model = model.entry.model
  record.vendor = model.entry.provider
  record.streamed = request.stream === true
  record.endUser = request.safety_identifier ?? request.user ?? null
  return {
    record,
    conversation,
    admission,
    model,
    reply: undefined,
    produced: {
      transcript: openTranscript(),
      thoughts: openTranscript(),
      calledAt: undefined,
      firstChunkAt: undefined,
      firstSaidAt: undefined,
      lastAt: undefined,
      wasHeldBack: false,
      thinks: undefined,
    },
    hasReachedClient: false,
    inSilence: undefined,
    client,
    isSettled: false,
    keep,
  }
}

/** Takes in who answers, and that the answer has begun. */
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

/** How a run ended. */
export type End = Pick<ChatEnd, 'ending' | 'usage' | 'isUsageFinal'> &
  Partial<Pick<ChatEnd, 'endsMeaningfully'>>

/** Settles the run, once; resolves when that is durable. Throws what `settleChat` throws. */
export function settleChatRun(edge: Edge, run: ChatRun, end: End): Promise<void> {
  const { record, admission, produced, model } = run
  run.isSettled = true
  if (record.status === 0) record.status = 200
  const isDelivered = run.hasReachedClient || run.client.hasLeft
  return settleChat(edge.inference, admission, {
    record,
    end: { endsMeaningfully: false, ...end, isDelivered, produced, model },
  })
}

/** What became of a run that failed. */
export interface Failed {
  /** What to tell the client; nothing where it has left. */
  problem: Problem | undefined
  /** Something was charged: the same request must not run again for nothing. */
  isCharged: boolean
}

/**
 * Ends a run that failed: released, or charged for what was produced where the client left after the vendor
 * had begun, or where the vendor, or our own time limit, broke off an answer of which the client has a part
 * (docs/behaviour.md, Streams).
 */
export async function endFailed(edge: Edge, ctx: EdgeContext, run: ChatRun, error: unknown): Promise<Failed> {
  const isGone =
    error instanceof ClientGone ||
    (error instanceof UpstreamFailure && error.kind === 'aborted') ||
    run.client.hasLeft
  const problem = problemIn(error)
  const { record } = run
  const stream = run.reply?.stream
  const isCut = stream !== undefined && (isGone || run.hasReachedClient)
  const end: End = {
    ending: isCut ? 'cut' : 'failed',
    usage: stream?.usage,
    isUsageFinal: stream?.isUsageFinal ?? false,
  }
  if (!isGone) ctx.state.problem = problem
  // Settled already, but for the word of it: what has reached the client is charged later.
  let isCharged = run.hasReachedClient && isUnknown(error)
  if (!run.isSettled) {
    if (isGone) recordLeaving(record)
    else {
      record.status = problem.status
      record.errorCode = problem.code
    }
    // Until something is said, what passes is thought.
    if (run.produced.firstSaidAt === undefined) run.produced.lastAt = edge.inference.context.clock.monotonic()
    run.produced.thinks = stream?.thinks
    isCharged = await settleChatRun(edge, run, end).then(
      () => record.costNanos > 0n,
      failure => {
        edge.log.error(
          { err: failure, requestId: record.requestId },
          'a failed request is settled later, if at all',
        )
        return isUnknown(failure)
      },
    )
  }
  if (isGone) return { problem: undefined, isCharged }
  return { problem: isCharged && !isUnknown(problem) ? chargedProblem(problem) : problem, isCharged }
}

/** A charge may stand, or will. */
function isUnknown(error: unknown): boolean {
  return error instanceof Problem && error.errorName === 'settlement_unknown'
}

/** The catalogue says that nothing was charged, which is not so where the client has a part of the answer. */
function chargedProblem(problem: Problem): Problem {
  const message = 'The answer broke off. What had been produced of it is charged.'
  return new Problem(problem.errorName, { ...problem.details, message, cause: problem })
}
