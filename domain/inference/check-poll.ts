import { Problem } from '../../schema/errors.ts'
import type { CachedKey } from '../keys/key-cache.ts'
import { checkRate } from '../rates/check-rate.ts'
import { currentCopy, limitsOf } from './check-key-and-rate.ts'
import { requireUsable } from './identify.ts'
import type { Inference } from './open-inference.ts'

/** Polls have a window of their own, so many times as wide as that of new requests. */
const pollsPerRequest = 10

/**
 * Asked before a task is read: does the key stand as we know it, and is it within its polls. They count neither as new
 * requests nor in the windows of the key (docs/behaviour.md, Keys and rate limits). Throws `rate_limit_exceeded`, and
 * what `identify` throws where the key changed.
 */
export async function checkPoll(
  inference: Inference,
  key: CachedKey,
  { clientAddress }: { clientAddress: string },
): Promise<void> {
  const { rates, context } = inference
  const { accountId, keyId } = key
  const limits = limitsOf(context, key)
  const burst = limits.burst * pollsPerRequest
  const ownLimits = { burst, burstWindowMs: limits.burstWindowMs, rpm: null, tph: null, tpd: null }
  const [{ revision }, { refusedBy, waitMs }] = await Promise.all([
    checkRate(rates, { accountId, keyId, limits, requests: 0, tokens: 0 }),
    checkRate(rates, { accountId, keyId: `${keyId}:polls`, limits: ownLimits, requests: 1, tokens: 0 }),
  ])
  const current = await currentCopy(inference, key, revision)
  if (current.revision !== key.revision)
    requireUsable(current, { now: context.clock.monotonic(), clientAddress })
  if (!refusedBy) return
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  throw new Problem('rate_limit_exceeded', {
    retryAfterSeconds,
    message: `Rate limit exceeded (${burst} polls of tasks per ${limits.burstWindowMs / 1000} seconds). Retry after ${retryAfterSeconds} s.`,
  })
}
