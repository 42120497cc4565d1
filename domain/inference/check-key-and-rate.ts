import { type Patience, waitWithPatience } from '../../platform/patience.ts'
import { Problem } from '../../schema/errors.ts'
import { type Allowances, allowanceAtLeast, allowanceOf } from '../allowances/allowances.ts'
import { allowanceExceeded } from '../allowances/exceeded.ts'
import type { RequestLabels } from '../budgets/matching-budgets.ts'
import type { Context } from '../context.ts'
import type { CachedKey } from '../keys/key-cache.ts'
import { admissionValidMs, callStartsWithinMs, publishRevision } from '../keys/key-revision.ts'
import type { HoldBudgets, Reservation } from '../ledger/hold.ts'
import { rateHeaders, rateMessage } from '../rates/rate-headers.ts'
import { revisionName } from '../rates/rate-script.ts'
import {
  areSameLimits,
  type RateLimits,
  type RateRequest,
  type RateResult,
  type WindowName,
} from '../rates/window.ts'
import { requireUsable } from './identify.ts'
import type { Inference } from './open-inference.ts'

/** A request that its key and its rates allow. */
export interface Allowed {
  /** The current key: a newer copy if it changed. */
  key: CachedKey
  clientAddress: string
  /** The HMACs of the presented key. */
  hmacs: readonly Buffer[]
  /** The member whose session sent the request; undefined if the request presented a key. */
  memberId: string | undefined
  patience: Patience
  request: RateRequest
  result: RateResult
  /** The `x-ratelimit-*` headers of the response. */
  headers: Record<string, string>
  /** When the key was last known to be valid, on the monotonic clock. */
  checkedAt: number
  /** The money that was reserved with the check; undefined if it is reserved later. */
  reservation: Reservation | undefined
}

/** The part of a request that its key and rates are checked against. */
export interface RateCheck {
  clientAddress: string
  /** The HMACs of the presented key. */
  hmacs: readonly Buffer[]
  /** The member whose session sent the request, if one did. */
  memberId?: string | undefined
  patience: Patience
  /** The most tokens of prompt and answer together; zero if they are not known yet. */
  tokens: number
  /** The amount that is reserved with the check if possible, in nano-dollars; undefined if it is reserved later. */
  amountNanos?: bigint | undefined
  /** The result of an earlier check, which counted the request but not its tokens. */
  earlier?: Allowed | undefined
}

/** Whether a request that was counted earlier has nothing left to count. */
export function isFullyCounted({ key }: Allowed, tokens: number): boolean {
  return tokens === 0 || !countsTokens(key)
}

/**
 * Checks with one call to Redis that the key is unchanged and within its rates, and counts the request. If Redis has
 * another revision of the key, or none, or does not answer, the key is read from Postgres. The amount is reserved with the
 * check only if the key is unchanged. Throws `rate_limit_exceeded` with `retryAfterSeconds`, `tokens_exceed_rate_limit` for
 * a request that no wait would allow, both with `rateHeaders`, and the errors of `identify` if the key changed.
 */
export async function checkKeyAndRate(
  inference: Inference,
  key: CachedKey,
  check: RateCheck,
): Promise<Allowed> {
  const { clock } = inference.context
  const checkedAt = clock.monotonic()
  const limits = limitsOf(inference.context, key)
  const never = windowTooSmall(limits, check.tokens)
  const request: RateRequest = {
    accountId: key.accountId,
    keyId: key.keyId,
    limits,
    requests: check.earlier ? 0 : 1,
    tokens: never ? 0 : check.tokens,
  }
  const { amountNanos } = check
  const amount = never || amountNanos === undefined ? undefined : { amountNanos, keyRevision: key.revision }
  const result = await inference.rates.check(request, amount)
  const current =
    result.revision === key.revision
      ? key
      : await currentCopy(inference, key, result.revision, check.patience)
  if (current.revision !== key.revision) {
    const { clientAddress, hmacs } = check
    requireUsable(current, { now: clock.monotonic(), clientAddress, hmacs })
    // A request that was counted under other limits is counted again, once per process and change of the limits.
    if (!areSameLimits(limits, limitsOf(inference.context, current)))
      return checkKeyAndRate(inference, current, check)
  }
  const headers = rateHeaders(limits, result.left)
  if (result.refusedBy) {
    const { refusedBy, waitMs } = result
    inference.rateRefusals.of(refusedBy).value += 1
    const retryMs = inference.retryTimes.next(request, { refusedBy, waitMs, now: clock.monotonic() })
    throw refusal(current, { request, refusedBy, retryMs, headers })
  }
  if (never) throw tokensExceed(limits, never, { tokens: check.tokens, headers })
  const { clientAddress, hmacs, memberId, patience } = check
  const { reservation } = result
  return {
    key: current,
    clientAddress,
    hmacs,
    memberId,
    patience,
    request,
    result,
    headers,
    checkedAt,
    reservation,
  }
}

/** Whether a window of the key counts tokens. For other keys the tokens of a request are not estimated. */
export function countsTokens({ tph, tpd }: Pick<RateLimits, 'tph' | 'tpd'>): boolean {
  return tph !== null || tpd !== null
}

/** An admitted request, with the labels by which budgets count it. */
export interface Paying {
  allowed: Allowed
  labels: RequestLabels
}

/** Finds who pays for a request: its key, and the budgets that count it. Throws `unavailable`. */
export async function findPayer(inference: Pick<Inference, 'budgets'>, paying: Paying) {
  const { key, patience } = paying.allowed
  const { accountId, keyId, revision } = key
  const budgets = await findBudgets(inference, paying)
  return { accountId, keyId, budgets, keyRevision: revision, patience }
}

/**
 * Finds the budgets that count a request; undefined if there are none. The member whose session sent it counts as its
 * owner. Throws `unavailable`.
 */
export function findBudgets(
  { budgets }: Pick<Inference, 'budgets'>,
  { allowed: { key, memberId }, labels }: Paying,
): Promise<HoldBudgets> {
  return budgets.find(memberId === undefined ? key : { ...key, ownerId: memberId }, labels)
}

/** The key and the budgets that pay for a request. */
export type Payer = Awaited<ReturnType<typeof findPayer>>

/** Returns the limits of all windows, as set for the key, its account or the platform. */
export function limitsOf({ config, allowances }: Context, key: CachedKey): RateLimits {
  return {
    burst: allowanceOf(allowances, key, 'key_requests'),
    burstWindowMs: config.rateWindowSeconds * 1000,
    rpm: key.rpm,
    tph: key.tph,
    tpd: key.tpd,
    account: requestsOfAccount(allowances, key),
  }
}

/** Returns the limit of new requests of all keys together: at least that of one key, unless an operator set it. */
function requestsOfAccount(allowances: Allowances, key: CachedKey): number {
  const least = allowanceOf(allowances, key, 'key_requests')
  return allowanceAtLeast(allowances, key, { resource: 'requests', least })
}

/** Returns the current copy: ours if Redis has the same revision, else that of Postgres, whose revision Redis then gets. */
export async function currentCopy(
  inference: Inference,
  key: CachedKey,
  revision: RateResult['revision'],
  patience: Patience,
): Promise<CachedKey> {
  if (revision === key.revision) return key
  let current: CachedKey | undefined
  try {
    current = await waitWithPatience(patience, inference.context.clock, inference.keys.read(key.publicId))
  } catch (error) {
    throw new Problem('unavailable', { retryAfterSeconds: 1, cause: error })
  }
  if (!current) throw new Problem('no_access')
  if (revision !== null && (revision ?? -1n) < current.revision) {
    const { redis, config } = inference.context
    const name = revisionName(config.redisPrefix, key.accountId, key.keyId)
    void publishRevision(redis, name, current.revision)
  }
  return current
}

/** Returns the token window that is smaller than the request, which no wait would allow. */
function windowTooSmall(limits: RateLimits, tokens: number): 'tph' | 'tpd' | undefined {
  if (tokens === 0) return undefined
  if (limits.tph !== null && tokens > limits.tph) return 'tph'
  return limits.tpd !== null && tokens > limits.tpd ? 'tpd' : undefined
}

function tokensExceed(
  limits: RateLimits,
  window: 'tph' | 'tpd',
  { tokens, headers }: { tokens: number; headers: Record<string, string> },
): Problem {
  const span = window === 'tph' ? 'hour' : 'day'
  const message =
    `The request may take ${tokens} tokens, prompt and max_tokens together: more than the ${limits[window]} that ` +
    `rate_limit_${window} allows this key in a whole ${span}. Shorten the prompt or lower max_tokens.`
  return new Problem('tokens_exceed_rate_limit', { message, rateHeaders: headers })
}

function refusal(
  key: CachedKey,
  refused: { request: RateRequest; refusedBy: WindowName; retryMs: number; headers: Record<string, string> },
): Problem {
  const { request, refusedBy, retryMs, headers } = refused
  const { limits } = request
  const retryAfterSeconds = Math.max(1, Math.ceil(retryMs / 1000))
  if (refusedBy === 'account')
    return allowanceExceeded('requests', { limit: limits.account ?? 0, standing: key, retryAfterSeconds })
  return new Problem('rate_limit_exceeded', {
    retryAfterSeconds,
    rateHeaders: headers,
    message: rateMessage(limits, refusedBy, retryAfterSeconds),
  })
}

/**
 * Checks before an upstream call that the key is still valid. A check that is younger than `admissionValidMs` suffices:
 * no revocation is confirmed before that time has passed (docs/behaviour.md, Errors). The wait for Postgres is limited
 * by the patience of the request, unless another one is given. Throws the errors of `identify`.
 */
export async function recheckKey(
  inference: Inference,
  allowed: Allowed,
  patience: Patience = allowed.patience,
): Promise<void> {
  if (isRecentlyChecked(inference, allowed)) return
  const { clock, redis, config } = inference.context
  const now = clock.monotonic()
  const { key } = allowed
  const name = revisionName(config.redisPrefix, key.accountId, key.keyId)
  const revision = await redis.get(name).then(
    text => (text === null ? undefined : BigInt(text)),
    () => null,
  )
  const current = await currentCopy(inference, key, revision, patience)
  if (current.keyId !== key.keyId) throw new Problem('no_access')
  const { clientAddress, hmacs } = allowed
  requireUsable(current, { now: clock.monotonic(), clientAddress, hmacs })
  allowed.key = current
  allowed.checkedAt = now
}

/** Whether the last check of the key is recent enough to be the check before an upstream call. */
export function isRecentlyChecked({ context }: Inference, { checkedAt }: Allowed): boolean {
  return context.clock.monotonic() - checkedAt < admissionValidMs
}

/**
 * Whether the last check of the key is recent enough to begin a call. Called when the bytes of the call are about to be
 * sent on a connected socket: a slow handshake can delay that by seconds.
 */
export function mayStartCall({ context }: Inference, { checkedAt }: Allowed): boolean {
  return context.clock.monotonic() - checkedAt < callStartsWithinMs
}
