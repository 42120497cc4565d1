import type { Patience } from '../../platform/patience.ts'
import { allowanceAtLeast, allowanceOf } from '../allowances/allowances.ts'
import { allowanceExceeded } from '../allowances/exceeded.ts'
import type { CachedKey } from '../keys/key-cache.ts'
import { accountWindowMs } from '../rates/window.ts'
import { currentCopy, limitsOf } from './check-key-and-rate.ts'
import { type KeyUse, requireUsable } from './identify.ts'
import type { Inference } from './open-inference.ts'

/** Minimum number of polls per new request that one key may make, unless an operator set the account's allowance. */
const pollsPerRequest = 10

/**
 * Checks that the key is unchanged and that the account's allowance of `polls` permits a read of a task, of the key's
 * spending or of the account's credits. Polls count neither as new requests nor in the windows of the key
 * (docs/behaviour.md, Keys and rate limits). Throws `allowance_exceeded`, and the errors of `identify` if the key
 * changed.
 */
export async function checkPoll(
  inference: Inference,
  key: CachedKey,
  { patience, ...use }: Omit<KeyUse, 'now'> & { patience: Patience },
): Promise<void> {
  const { rates, context, retryTimes } = inference
  const { accountId, keyId } = key
  const least = pollsPerRequest * allowanceOf(context.allowances, key, 'key_requests')
  const limit = allowanceAtLeast(context.allowances, key, { resource: 'polls', least })
  const window = {
    burst: limit,
    burstWindowMs: accountWindowMs,
    rpm: null,
    tph: null,
    tpd: null,
    account: null,
  }
  const poll = { accountId, keyId: `${accountId}:polls`, limits: window, requests: 1, tokens: 0 } as const
  const [{ revision }, { refusedBy, waitMs }] = await Promise.all([
    rates.check({ accountId, keyId, limits: limitsOf(context, key), requests: 0, tokens: 0 }),
    rates.check(poll),
  ])
  const now = context.clock.monotonic()
  const current = await currentCopy(inference, key, revision, patience)
  if (current.revision !== key.revision) requireUsable(current, { now, ...use })
  if (!refusedBy) return
  const retryMs = retryTimes.next(poll, { refusedBy, waitMs, now })
  throw allowanceExceeded('polls', {
    limit,
    standing: current,
    retryAfterSeconds: Math.max(1, Math.ceil(retryMs / 1000)),
  })
}
