import type { KeepAnswer } from '../../domain/idempotency/run-once.ts'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import type { Edge, EdgeContext, Route } from '../edge.ts'
import { claimIdempotency, readIdempotencyKey } from './claim-idempotency.ts'
import { countRequest, failCounted } from './count-request.ts'
import { endFailed } from './end-failed.ts'
import { identifyCaller } from './identify-caller.ts'
import type { PaidKind, PaidRun } from './paid-kind.ts'
import { receiveBody } from './receive-body.ts'
import { RequestShare } from './request-share.ts'
import { watchClient } from './watch-client.ts'

/**
 * Serves a paid request of any kind (chat, images, a task) from its key to its charge. The order of the checks is part
 * of the interface (docs/behaviour.md, Errors).
 *
 * 1. Identify: find the key, and check that the request may use it.
 * 2. Receive: occupy a share of this process; read and parse the body.
 * 3. Count: check the windows of the key, before the body is awaited, and again when the tokens are known. Reserve the
 *    money with the count if the body has arrived.
 * 4. Claim: with an `Idempotency-Key`, the following steps run once.
 * 5. Attempt, settle and respond: `runPaid`.
 *
 * A request that fails is counted too. Throws the error that the client gets.
 */
async function servePaid<Asked, Demand extends { rateTokens: number }>(
  edge: Edge,
  ctx: EdgeContext,
  kind: PaidKind<Asked, Demand>,
): Promise<void> {
  const key = await identifyCaller(edge, ctx, {
    contentTypes: kind.contentTypes,
    isCompared: true,
    admitsSession: true,
  })
  kind.check?.(ctx)
  using share = new RequestShare(edge.accounts, key)
  ctx.state.share = share
  try {
    const received = await receiveBody(edge, ctx, { key, share, parse: kind.parser?.(ctx) })
    const asked = kind.read(edge, ctx, received)
    const run = (keep?: KeepAnswer) => runPaid(edge, ctx, { kind, key, asked, keep })
    const idempotencyKey = readIdempotencyKey(ctx)
    const { fingerprint } = received
    if (idempotencyKey === undefined || fingerprint === undefined) return await run()
    await countRequest(edge, ctx, key)
    await claimIdempotency(edge, ctx, { key, idempotencyKey, fingerprint }, run)
  } catch (error) {
    return await failCounted(edge, ctx, { key, error })
  }
}

/** Returns the route of a kind of paid request. */
export function paid<Asked, Demand extends { rateTokens: number }>(kind: PaidKind<Asked, Demand>): Route {
  return (edge, ctx) => servePaid(edge, ctx, kind)
}

/** A request that was read. */
interface ReadRequest<Asked, Demand extends { rateTokens: number }> {
  kind: PaidKind<Asked, Demand>
  key: CachedKey
  asked: Asked
  keep: KeepAnswer | undefined
}

/**
 * Counts the tokens of a request and runs it: attempt, settle, respond. The last bytes are sent after the charge is durable.
 */
async function runPaid<Asked, Demand extends { rateTokens: number }>(
  edge: Edge,
  ctx: EdgeContext,
  { kind, key, asked, keep }: ReadRequest<Asked, Demand>,
): Promise<void> {
  const outlivesClient = keep !== undefined || kind.outlivesClient === true
  using client = watchClient(ctx.res, { outlivesClient })
  try {
    const demand = kind.demand(edge, key, asked)
    const amountNanos = kind.amountWithCheck?.(edge, key, demand)
    const counting = countRequest(edge, ctx, key, { tokens: demand.rateTokens, amountNanos })
    const allowed = counting instanceof Promise ? await counting : counting
    const run = kind.open(edge, ctx, { asked, demand, allowed, client, keep })
    try {
      await run.attempt()
      await run.settle()
      const { record } = run.state
      record.settledMs = edge.inference.context.clock.monotonic() - record.begunAt
      await run.respond()
    } catch (error) {
      await failRun(edge, ctx, { run, error })
    }
  } catch (error) {
    throw kind.explain?.(error, asked) ?? error
  }
}

/**
 * Ends a run of which a step failed: settles it for the output that its client has received, or at no cost. Throws the
 * error unless the response has ended with it, or the client has disconnected.
 */
async function failRun(
  edge: Edge,
  ctx: EdgeContext,
  { run, error }: { run: PaidRun; error: unknown },
): Promise<void> {
  const failed = await endFailed(edge, ctx, { run, error })
  const hasEnded = failed.problem === undefined || (await run.breakOff?.(failed)) === true
  if (!hasEnded) throw error
  ctx.respond = false
}
