import type { Context } from 'koa'
import { limitsOf } from '../../domain/inference/check-key-and-rate.ts'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import { rateHeaders } from '../../domain/rates/rate-headers.ts'
import type { Edge } from '../edge.ts'

/** What the answers to a key were last told of its rates, by the key's id. */
export type RatesTold = Map<string, { headers: Record<string, string>; at: number }>

const mostRemembered = 10_000

/** Sets the rate headers of an answer, as the rates have just answered. */
export function tellRates(
  { ratesTold, inference }: Edge,
  ctx: Context,
  { keyId, headers }: { keyId: string; headers: Record<string, string> },
): void {
  ctx.set(headers)
  if (ratesTold.size >= mostRemembered && !ratesTold.has(keyId))
    ratesTold.delete(ratesTold.keys().next().value!)
  ratesTold.set(keyId, { headers, at: inference.context.clock.monotonic() })
}

/**
 * Sets them where the answer ends before the rates were asked: as this process told the key last, within the window
 * of new requests; its limits alone where that is longer ago. Tells nothing where no key was recognised.
 */
export function tellKnownRates({ ratesTold, inference, config }: Edge, ctx: Context): void {
  const key: CachedKey | undefined = ctx.state.key
  if (!key || ctx.res.hasHeader('x-ratelimit-limit-requests')) return
  const last = ratesTold.get(key.keyId)
  const isRecent = last && inference.context.clock.monotonic() - last.at < config.rateWindowSeconds * 1000
  ctx.set(isRecent ? last.headers : rateHeaders(limitsOf(config, key), undefined))
}
