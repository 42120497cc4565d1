import { type KeepAnswer, runOnce } from '../../domain/idempotency/run-once.ts'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import { Problem } from '../../schema/errors.ts'
import { invalidParam } from '../../schema/refuse-param.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { answerTooLongToKeep } from './keep-answer.ts'
import { sendLongAnswer } from './send-long-answer.ts'

/** Maximum length of an `Idempotency-Key`, in characters. */
const maxKeyLength = 255

/** Returns the `Idempotency-Key` of a request; undefined if it has none. Throws `invalid_request` if it is too long. */
export function readIdempotencyKey(ctx: EdgeContext): string | undefined {
  const key = ctx.get('idempotency-key')
  if (key.length > maxKeyLength)
    throw invalidParam('Idempotency-Key', `must have at most ${maxKeyLength} characters`)
  return key === '' ? undefined : key
}

/** A request with an `Idempotency-Key`. */
interface IdempotentRequest {
  key: CachedKey
  idempotencyKey: string
  /** SHA-256 of its path and body. */
  fingerprint: Buffer
}

/**
 * Runs a request once in 24 hours with its `Idempotency-Key`. Every repeat gets the same status and body, including a
 * repeat that arrives while the request runs (docs/behaviour.md, Idempotency). `run` gets the function that stores its
 * response. Throws `idempotency_conflict` for a different body, `answer_not_kept` if the response was too long to be
 * stored, and the errors of `run`.
 */
export async function claimIdempotency(
  edge: Edge,
  ctx: EdgeContext,
  { key, idempotencyKey, fingerprint }: IdempotentRequest,
  run: (keep: KeepAnswer) => Promise<void>,
): Promise<void> {
  const { record, patience } = ctx.state
  const claim = {
    accountId: key.accountId,
    key: `${key.keyId}:${idempotencyKey}`,
    fingerprint,
    processId: edge.inference.ledger.processId,
    requestId: record.requestId,
    startedAt: record.startedAt,
  }
  const kept = await runOnce(edge.inference.context, edge.tries, {
    claim,
    patience,
    signal: disconnectSignal(ctx),
    run({ requestId, startedAt, keep }) {
      record.requestId = requestId
      record.startedAt = startedAt
      ctx.set('x-request-id', requestId)
      if (ctx.response.get('request-id')) ctx.set('request-id', requestId)
      return run(keep)
    },
  })
  if (kept === 'ran') return
  if (kept === 'aborted') {
    record.status = 499
    return
  }
  ctx.state.isReplayed = true
  if (kept.contentType === answerTooLongToKeep.contentType)
    throw new Problem('answer_not_kept', { shouldRetry: false })
  ctx.status = kept.status
  ctx.set({ 'content-type': kept.contentType, 'idempotent-replayed': 'true' })
  await sendLongAnswer(edge, ctx, Buffer.from(kept.body))
}

/** Returns a signal that is aborted when the client disconnects. */
function disconnectSignal({ res }: EdgeContext): AbortSignal {
  const controller = new AbortController()
  if (res.destroyed) controller.abort()
  else res.once('close', () => controller.abort())
  return controller.signal
}
