import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import { type OnceRequest, runOnce } from '../../domain/idempotency/run-once.ts'
import { checkKeyAndRate } from '../../domain/inference/check-key-and-rate.ts'
import type { KeyCopy } from '../../domain/keys/key-copy.ts'
import { Problem } from '../../schema/errors.ts'
import type { Edge } from '../edge.ts'
import { doorOf } from './identify-caller.ts'

const maxKeyLength = 255

/**
 * Runs a request; under an `Idempotency-Key` it runs once in 24 hours, and every other try, also one that comes
 * while the first still runs, gets the same status and body (decisions: Idempotency-Key). `run` is given where to
 * keep its answer. Throws `invalid_request` for a key that is too long, `idempotency_conflict` for another body.
 */
export async function answerOnce(
  edge: Edge,
  ctx: Context,
  { key, body }: { key: KeyCopy; body: Buffer },
  run: (keep: OnceRequest['keep'] | undefined) => Promise<void>,
): Promise<void> {
  const idempotencyKey = ctx.get('idempotency-key')
  if (idempotencyKey === '') return run(undefined)
  if (idempotencyKey.length > maxKeyLength) {
    const message = `Idempotency-Key has at most ${maxKeyLength} characters.`
    throw new Problem('invalid_request', { param: 'Idempotency-Key', message })
  }
  const claim = {
    accountId: key.accountId,
    key: idempotencyKey,
    fingerprint: createHash('sha256').update(ctx.path).update('\n').update(body).digest(),
    processId: edge.inference.ledger.processId,
    requestId: ctx.state.requestId,
    startedAt: ctx.state.startedAt,
  }
  const kept = await runOnce(edge.inference.context, {
    claim,
    isWanted: () => !ctx.res.destroyed,
    run({ requestId, startedAt, keep }) {
      Object.assign(ctx.state, { requestId, startedAt })
      ctx.set('x-request-id', requestId)
      return run(keep)
    },
  })
  if (kept === 'ran') return
  if (kept === 'left') return void Object.assign(ctx.state.logLine, { status: 499 })
  await checkKeyAndRate(edge.inference, key, { tokens: 0, ...doorOf(edge, ctx, key) })
  ctx.state.logLine.replayed = true
  ctx.status = kept.status
  ctx.set({ 'content-type': kept.contentType, 'idempotent-replayed': 'true' })
  ctx.body = Buffer.from(kept.body)
}
