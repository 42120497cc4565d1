import { LRUCache } from 'lru-cache'
import {
  type Allowed,
  checkKeyAndRate,
  isFullyCounted,
  limitsOf,
} from '../../domain/inference/check-key-and-rate.ts'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import { rateHeaders } from '../../domain/rates/rate-headers.ts'
import { Problem } from '../../schema/errors.ts'
import type { Edge, EdgeContext } from '../edge.ts'

/** The last rate headers of each key and the time at which they were sent, by the key's ID. */
export type KnownRates = LRUCache<string, { headers: Record<string, string>; at: number }>

/** Creates the store of rate headers, which keeps the 10,000 keys that were used most recently. */
export function openKnownRates(): KnownRates {
  return new LRUCache({ max: 10_000 })
}

/** The amounts of a request that are counted and reserved. */
interface Amounts {
  /** Tokens of prompt and answer; zero if they are not known, or not limited. */
  tokens: number
  /** The money that is reserved with the count if possible, in nano-dollars. */
  amountNanos?: bigint | undefined
}

/**
 * Counts a request in the windows of its key, which may refuse it, and sets its rate headers. If the request is already
 * counted, only its tokens are added when they are known. Returns the earlier result without a wait if there is nothing
 * left to count. Throws the errors of `checkKeyAndRate`.
 */
export function countRequest(
  edge: Edge,
  ctx: EdgeContext,
  key: CachedKey,
  amounts: Amounts = { tokens: 0 },
): Allowed | Promise<Allowed> {
  const { allowed } = ctx.state
  return allowed && isFullyCounted(allowed, amounts.tokens) ? allowed : count(edge, ctx, { key, ...amounts })
}

async function count(
  edge: Edge,
  ctx: EdgeContext,
  { key, ...amounts }: Amounts & { key: CachedKey },
): Promise<Allowed> {
  const { state } = ctx
  const { patience, record, hmacs, memberId, allowed: earlier } = state
  state.isCounted = true
  try {
    const clientAddress = record.clientAddress ?? ''
    const check = { clientAddress, hmacs, memberId, patience, earlier, ...amounts }
    const allowed = await checkKeyAndRate(edge.inference, earlier?.key ?? key, check)
    setRateHeaders(edge, ctx, { key, headers: allowed.headers })
    state.allowed = allowed
    return allowed
  } catch (error) {
    const headers = error instanceof Problem ? error.details.rateHeaders : undefined
    if (headers) setRateHeaders(edge, ctx, { key, headers })
    throw error
  }
}

/**
 * Ends a request that failed after its key was identified: discards the rest of its body, and counts the request if it
 * is not yet counted. Throws the error of the rate check if the rates refuse the request, or else the request's own
 * error.
 */
export async function failCounted(
  edge: Edge,
  ctx: EdgeContext,
  { key, error }: { key: CachedKey; error: unknown },
): Promise<never> {
  ctx.state.share?.pace(ctx.req)
  if (!ctx.state.isCounted) await countRequest(edge, ctx, key)
  throw error
}

/**
 * Sets the rate headers of a response that ends before its request is counted: the last headers that this process sent
 * to the key, if they are younger than the window of new requests, or else only the limits. A request without an
 * identified key gets none.
 */
export function setKnownRates({ knownRates, inference, config }: Edge, ctx: EdgeContext): void {
  const { key } = ctx.state
  if (!key || ctx.res.hasHeader('x-ratelimit-limit-requests')) return
  const last = knownRates.get(key.keyId)
  const isRecent = last && inference.context.clock.monotonic() - last.at < config.rateWindowSeconds * 1000
  ctx.set(isRecent ? last.headers : rateHeaders(limitsOf(inference.context, key), undefined))
}

function setRateHeaders(
  { knownRates, inference }: Edge,
  ctx: EdgeContext,
  { key: { keyId }, headers }: { key: CachedKey; headers: Record<string, string> },
): void {
  if (ctx.headerSent) return
  for (const [name, value] of Object.entries(headers)) ctx.res.setHeader(name, value)
  knownRates.set(keyId, { headers, at: inference.context.clock.monotonic() })
}
