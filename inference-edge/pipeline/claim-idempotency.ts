import type { KeptAnswer } from '../../domain/idempotency/claim-key.ts'
import { type OnceRequest, runOnce } from '../../domain/idempotency/run-once.ts'
import type { Allowed } from '../../domain/inference/check-key-and-rate.ts'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import { Problem } from '../../schema/errors.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { checkRates } from './count-request.ts'
import type { Received } from './receive-body.ts'
import { sendLongAnswer } from './send-long-answer.ts'

const maxKeyLength = 255

/** Kept in place of an answer that is too long. */
export const answerTooLongToKeep: KeptAnswer = {
  status: 422,
  contentType: 'application/vnd.rubicon.too-long',
  body: Buffer.alloc(0),
}

/**
 * Runs a request; under an `Idempotency-Key` it runs once in 24 hours, and every other try, also one that
 * comes while the first still runs, gets the same status and body (docs/behaviour.md, Idempotency). `run` is
 * given where to keep its answer. Throws `invalid_request` for a key that is too long, `idempotency_conflict`
 * for another body, `answer_not_kept` where the answer was too long to be told again.
 */
export function answerOnce(
  edge: Edge,
  ctx: EdgeContext,
  asked: OnceAsked,
  run: (keep: OnceRequest['keep'] | undefined, allowed: Allowed | undefined) => Promise<void>,
): Promise<void> {
  const idempotencyKey = ctx.get('idempotency-key')
  const { fingerprint, allowed } = asked.received
  if (idempotencyKey === '' || !fingerprint) return run(undefined, allowed)
  return answerUnderKey(edge, ctx, { ...asked, idempotencyKey, fingerprint }, run)
}

interface OnceAsked {
  key: CachedKey
  received: Pick<Received, 'fingerprint' | 'allowed'>
}

async function answerUnderKey(
  edge: Edge,
  ctx: EdgeContext,
  { key, received, idempotencyKey, fingerprint }: OnceAsked & { idempotencyKey: string; fingerprint: Buffer },
  run: (keep: OnceRequest['keep'], allowed: Allowed) => Promise<void>,
): Promise<void> {
  const { record } = ctx.state
  if (idempotencyKey.length > maxKeyLength) {
    const message = `Idempotency-Key has at most ${maxKeyLength} characters.`
    throw new Problem('invalid_request', { param: 'Idempotency-Key', message })
  }
  const allowed = received.allowed ?? (await checkRates(edge, ctx, key))
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
    patience: ctx.state.patience,
    signal: leaving(ctx),
    run({ requestId, startedAt, keep }) {
      record.requestId = requestId
      record.startedAt = startedAt
      ctx.set('x-request-id', requestId)
      if (ctx.response.get('request-id')) ctx.set('request-id', requestId)
      return run(keep, allowed)
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

/** Aborted when the client leaves before it is answered. */
function leaving({ res }: EdgeContext): AbortSignal {
  const controller = new AbortController()
  if (res.destroyed) controller.abort()
  else res.once('close', () => controller.abort())
  return controller.signal
}
