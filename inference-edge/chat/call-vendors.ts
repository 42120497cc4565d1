import { holdChat, outputTokensOf } from '../../domain/inference/admit-chat.ts'
import { cacheToken } from '../../domain/inference/cache-token.ts'
import { mayStartCall } from '../../domain/inference/check-key-and-rate.ts'
import { recheckPayer } from '../../domain/inference/recheck-payer.ts'
import type { ChatModel } from '../../domain/models/model-cache.ts'
import { type ChatReply, callChat } from '../../upstreams/call/call-chat.ts'
import type { ChatCall } from '../../upstreams/chat-adapter.ts'
import { UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { isStillUsable, listAttempts, mayCallWithOwn, type OwnedAttempt } from '../pipeline/list-attempts.ts'
import { recordAttempt, recordOutcome } from '../pipeline/record-attempt.ts'
import type { ChatRun } from './chat-run.ts'
import { useFiles } from './use-files.ts'

type ChatAttempt = OwnedAttempt<ChatModel>

/**
 * Has a run's request answered, attempt by attempt. Money is held before the first one that costs some, and right
 * before the vendor is reached the key must still stand. The model that answered is named in `x-model`.
 */
export async function callVendors(edge: Edge, ctx: EdgeContext, run: ChatRun): Promise<ChatReply> {
  const { allowed, models } = run.admission
  const using = useFiles(edge, run)
  if (using) await using
  const listed = listAttempts(edge, { key: allowed.key, models })
  const attempts = listed instanceof Promise ? await listed : listed
  const reply = await callChat(edge.upstreams, {
    accountId: allowed.key.accountId,
    bodyBytes: run.admission.bodyBytes,
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
      // An answer of the platform's vendor is paid for, so it is never refused.
      countAnswer({ candidate }, bytes) {
        if (candidate) ctx.state.share?.takeBytes(bytes)
        else ctx.state.share?.addBytes(bytes)
      },
    },
    onTry: (attempt, end) => recordAttempt(run.record.attempts, attempt, end),
    onAttemptEnd(attempt, failure) {
      run.client.detachClient()
      if (!failure) run.model = attempt.model
      recordOutcome(edge, attempt, failure)
    },
  })
  if (!ctx.res.headersSent) ctx.res.setHeader('x-model', run.model.entry.model) // a slow vendor's stream has begun
  return reply
}

function prepare(
  edge: Edge,
  run: ChatRun,
  { model, candidate }: ChatAttempt,
): ChatCall | Promise<ChatCall | undefined> {
  const { admission } = run
  const compose = () => composeCall(edge, run, model)
  if (candidate) {
    return isStillUsable(edge, admission.allowed, candidate).then(is => (is ? compose() : undefined))
  }
  const held = holdChat(edge.inference, admission)
  return held instanceof Promise ? held.then(compose) : compose()
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
 * Throws where the key does not stand any more, or nobody waits for the answer; false where the credential of the
 * attempt is gone.
 */
function mayCall(
  edge: Edge,
  run: ChatRun,
  { candidate }: ChatAttempt,
  isAgain: boolean,
): boolean | Promise<boolean> {
  if (run.client.hasLeft) throw new UpstreamFailure('aborted')
  if (candidate) return mayCallWithOwn(edge, run.admission.allowed, { candidate, isCounted: isAgain })
  return recheckPayer(edge.inference, run.admission)?.then(() => true) ?? true
}

/**
 * Whether the call may begin now. From here on the vendor has the request and will bill it: a client that leaves does
 * not end it before a whole answer is there, or a stream has begun and what it costs is known.
 */
function mayStart(edge: Edge, run: ChatRun): boolean {
  if (!mayStartCall(edge.inference, run.admission.allowed)) return false
  run.produced.calledAt = edge.inference.context.clock.monotonic()
  run.client.keepUntilAnswered()
  return true
}
