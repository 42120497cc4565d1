import { type Allowed, checkKeyAndRate, limitsOf } from '../../domain/inference/check-key-and-rate.ts'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import { rateHeaders } from '../../domain/rates/rate-headers.ts'
import { Problem } from '../../schema/errors.ts'
import type { Edge, EdgeContext } from '../edge.ts'

/** The rate headers that the last answer to each key carried, and when that was. By the key's id. */
export type KnownRates = Map<string, { headers: Record<string, string>; at: number }>

const maxRemembered = 10_000

/**
 * Counts a request in the windows of its key, which may refuse it, and its tokens once they are known; sets the rate
 * headers of its answer. What was allowed `earlier` is not counted twice. Throws what `checkKeyAndRate` throws.
 */
export function checkRates(
  edge: Edge,
  ctx: EdgeContext,
  key: CachedKey,
  { tokens, earlier }: { tokens: number; earlier?: Allowed | undefined } = { tokens: 0 },
): Allowed | Promise<Allowed> {
  const clientAddress = ctx.state.record.clientAddress ?? ''
  const { patience } = ctx.state
  const checked = checkKeyAndRate(edge.inference, key, { clientAddress, patience, tokens, earlier })
  if (!(checked instanceof Promise)) return checked
  return checked.then(
    allowed => {
      setRateHeaders(edge, ctx, { key, headers: allowed.headers })
      return allowed
    },
    error => {
      const headers = error instanceof Problem ? error.details.rateHeaders : undefined
      if (headers) setRateHeaders(edge, ctx, { key, headers })
      throw error
    },
  )
}

/** Whether the windows of its key have counted the request: its answer says what is left. */
export function isCounted({ res }: EdgeContext): boolean {
  return res.hasHeader('x-ratelimit-remaining-requests')
}

/**
 * Sets the rate headers where the answer ends before the rates were asked: those that this process last sent to the
 * key, within the window of new requests; its limits alone where that is longer ago; none where no key was recognised.
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
  for (const name in headers) ctx.res.setHeader(name, headers[name]!)
  if (knownRates.size >= maxRemembered && !knownRates.has(keyId))
    knownRates.delete(knownRates.keys().next().value!)
  knownRates.set(keyId, { headers, at: inference.context.clock.monotonic() })
}
