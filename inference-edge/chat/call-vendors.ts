import { holdChat, outputTokensOf } from '../../domain/inference/admit-chat.ts'
import { requireModel } from '../../domain/inference/allowed-models.ts'
import { cacheToken } from '../../domain/inference/cache-token.ts'
import { mayStartCall } from '../../domain/inference/check-key-and-rate.ts'
import { recheckPayer } from '../../domain/inference/recheck-payer.ts'
import type { ChatModel } from '../../domain/models/model-cache.ts'
import type { Problem } from '../../schema/errors.ts'
import { recordOutcome } from '../../upstreams/attempts.ts'
import { type ChatReply, callChat } from '../../upstreams/call/call-chat.ts'
import type { ChatCall } from '../../upstreams/chat-adapter.ts'
import type { AttemptEnd } from '../../upstreams/try-in-order.ts'
import { UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { isStillUsable, listAttempts, type ModelAttempt, mayCallWithOwn } from '../pipeline/list-attempts.ts'
import { recordAttempt } from '../pipeline/record-attempt.ts'
import { traceAttempt } from '../pipeline/trace-attempt.ts'
import { type ChatRun, endCall } from './chat-run.ts'
import { addressesIn, useFiles } from './use-files.ts'

type Attempt = ModelAttempt<ChatModel>

/**
 * Calls vendors with a chat request, attempt by attempt, until one answers. Money is held before the first attempt that
 * costs money. The key must still be valid immediately before each call. The header `x-model` names the model that
 * answered.
 */
export async function callVendors(edge: Edge, ctx: EdgeContext, run: ChatRun): Promise<ChatReply> {
  const { allowed, models, limit } = run.admission
  requireModel(edge.inference, allowed.key, models[0]!.entry)
  const files = addressesIn(run.conversation.request)
  if (files.size > 0) await useFiles(edge, run, files)
  const conversation = edge.upstreams.credentials.hasChoice ? conversationOf(ctx, run) : undefined
  const plan = { key: allowed.key, models, conversation, limit }
  const listing = listAttempts(edge, plan)
  const attempts = listing instanceof Promise ? await listing : listing
  // The hold covers only the models that can be called.
  if (models.length > 1)
    run.admission.models = models.filter(model => attempts.some(attempt => attempt.model === model))
  const reply = await callChat(edge.upstreams, {
    accountId: allowed.key.accountId,
    bodyBytes: run.admission.bodyBytes,
    images: run.images,
    attempts,
    ownBudgetMs: edge.config.firstByteTimeoutMs,
    cancellation: run.client.cancellation,
    prepare: attempt => prepare(edge, run, attempt),
    gate: {
      mayCall: (attempt, isAgain) => mayCall(edge, run, attempt, isAgain),
      mayStart() {
        ctx.state.share?.endTurn()
        return mayStart(edge, run)
      },
      countAnswer: ({ own }, bytes) => ctx.state.share?.countAnswer(bytes, { isOwn: own !== undefined }),
    },
    onTry(attempt, end) {
      endCall(run, edge.inference.context.clock.monotonic())
      const { reason, request } = run.admission
      recordAttempt(run.record.attempts, attempt, { ...end, reason })
      traceAttempt(ctx.state.span, run.record.requestId, { ...attempt, ...end })
      if (attempt.entry.routes && !attempt.own)
        recordHealth(edge, attempt, {
          ...end,
          accountId: allowed.key.accountId,
          isStream: request.stream === true,
        })
    },
    onAttemptEnd(attempt, failure) {
      run.client.detachClient()
      if (!failure) run.model = attempt.model
      if (attempt.own) void recordOutcome(edge.inference.byok, attempt.own, failure)
    },
  })
  if (!ctx.res.headersSent) ctx.res.setHeader('x-model', run.model.entry.model) // a slow vendor's stream has begun
  return reply
}

/**
 * Returns the name of a request's conversation within its account, whose requests share cached prompts; undefined if the
 * request has none (docs/behaviour.md, Retries and fallbacks).
 */
function conversationOf(ctx: EdgeContext, { admission }: ChatRun): string | undefined {
  const { prompt_cache_key: cacheKey, safety_identifier: endUser, user } = admission.request
  const name = cacheKey ?? (ctx.get('session-id') || (endUser ?? user))
  return name ? `${admission.allowed.key.accountId} ${name}` : undefined
}

/** Counts a call in the health of its route, unless its failure says nothing about the vendor. */
function recordHealth(
  { inference }: Edge,
  { entry }: Attempt,
  { accountId, durationMs, failure, isStream }: AttemptEnd & { accountId: string; isStream: boolean },
): void {
  if (failure && !showsFault(failure, isStream)) return
  const firstByteMs = failure || !isStream ? undefined : durationMs
  inference.routeHealth.record(entry, { accountId, isFailed: failure !== undefined, firstByteMs })
}

/**
 * Whether a failure is the vendor's: neither a fault of the request, nor a call that was not made because of an open
 * breaker or the limits of its credential, nor a whole answer that took longer than our own time limit.
 */
function showsFault(failure: UpstreamFailure | Problem, isStream: boolean): boolean {
  if (!(failure instanceof UpstreamFailure)) return false
  const { kind, details } = failure
  if (kind === 'busy') return details.status !== undefined
  if (kind === 'timeout') return details.status !== undefined || isStream
  return kind === 'auth' || kind === 'broken'
}

/** Holds the money of an attempt and returns its call. Returns undefined if its credential was deleted or disabled. */
function prepare(
  edge: Edge,
  run: ChatRun,
  { model, own }: Attempt,
): ChatCall | Promise<ChatCall | undefined> {
  const { admission } = run
  const compose = () => composeCall(edge, run, model)
  if (own)
    return isStillUsable(edge, admission.allowed, own).then(isUsable => (isUsable ? compose() : undefined))
  const holding = holdChat(edge.inference, admission)
  return holding ? holding.then(compose) : compose()
}

function composeCall({ inference }: Edge, { admission, conversation }: ChatRun, model: ChatModel): ChatCall {
  const { request } = conversation
  const { accountId } = admission.allowed.key
  return {
    entry: model.entry,
    request: { ...request, ...conversation.overridesFor?.(model.entry), model: model.entry.model },
    outputTokens: outputTokensOf(admission, model),
    cacheToken: cacheToken(inference, { accountId, request, entry: model.entry }),
  }
}

/**
 * Whether the credential of an attempt may still be used. Throws if the key is no longer valid or its lists refuse the model,
 * or if the client has disconnected.
 */
function mayCall(
  edge: Edge,
  run: ChatRun,
  { own, model }: Attempt,
  isAgain: boolean,
): boolean | Promise<boolean> {
  if (run.client.hasLeft) throw new UpstreamFailure('aborted')
  const { inference } = edge
  const { admission } = run
  const { allowed } = admission
  const permit = (isUsable = true) => {
    requireModel(inference, allowed.key, model.entry)
    return isUsable
  }
  if (own) return mayCallWithOwn(edge, allowed, { own, isCounted: isAgain }).then(permit)
  const checking = recheckPayer(inference, admission)
  return checking ? checking.then(() => permit()) : permit()
}

/**
 * Whether the call may begin now. Once it has begun, the vendor bills it, so a disconnect does not cancel the call
 * before the whole answer, or the first chunk of a stream, has arrived.
 */
function mayStart(edge: Edge, run: ChatRun): boolean {
  if (!mayStartCall(edge.inference, run.admission.allowed)) return false
  run.produced.calledAt = edge.inference.context.clock.monotonic()
  run.callBeganAt ??= run.produced.calledAt
  run.client.keepUntilAnswered()
  return true
}
