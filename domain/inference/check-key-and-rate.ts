import { type Patience, waitWithPatience } from '../../platform/patience.ts'
import { Problem } from '../../schema/errors.ts'
import { type Allowances, allowanceAtLeast, allowanceOf } from '../allowances/allowances.ts'
import { allowanceExceeded } from '../allowances/exceeded.ts'
import type { Context } from '../context.ts'
import type { CachedKey } from '../keys/key-cache.ts'
import { admissionValidMs, callStartsWithinMs, raiseRevision } from '../keys/key-revision.ts'
import { checkRate } from '../rates/check-rate.ts'
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
  /** The key as it stands now: a newer copy where it changed. */
  key: CachedKey
  clientAddress: string
  patience: Patience
  request: RateRequest
  result: RateResult
  /** What the answer says of the key's rates: `x-ratelimit-*`. */
  headers: Record<string, string>
  /** When the key was last known to stand, on the monotonic clock. */
  checkedAt: number
}

/** A request, as far as its key and its rates are concerned. */
export interface RateCheck {
  clientAddress: string
  patience: Patience
  /** Prompt and answer together, at most; zero where they are not known yet. */
  tokens: number
  /** What was allowed before the body was read: the request is counted already, only its tokens are not. */
  earlier?: Allowed | undefined
}

/**
 * One question to Redis: does the key stand as we know it, and is it within its rates. Where Redis does not know the
 * key, knows it as it was, or is away, Postgres says how it stands. Asks nothing where an earlier answer says it all.
 * Throws `rate_limit_exceeded` with `retryAfterSeconds`, `tokens_exceed_rate_limit` for what no waiting helps, both with
 * `rateHeaders`, and what `identify` throws where the key changed.
 */
export function checkKeyAndRate(
  inference: Inference,
  key: CachedKey,
  check: RateCheck,
): Allowed | Promise<Allowed> {
  const { earlier, tokens } = check
  if (earlier && (tokens === 0 || !countsTokens(earlier.key))) return earlier
  return checkRates(inference, earlier?.key ?? key, check)
}

/** Whether a window of the key counts tokens: for other keys nobody needs to know them. */
export function countsTokens({ tph, tpd }: CachedKey): boolean {
  return tph !== null || tpd !== null
}

async function checkRates(inference: Inference, key: CachedKey, check: RateCheck): Promise<Allowed> {
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
  const result = await checkRate(inference.rates, request)
  const current =
    result.revision === key.revision
      ? key
      : await currentCopy(inference, key, result.revision, check.patience)
  if (current.revision !== key.revision) {
    requireUsable(current, { now: clock.monotonic(), clientAddress: check.clientAddress })
    // A request that was counted under other limits is counted again, once per process and change of the limits.
    if (!areSameLimits(limits, limitsOf(inference.context, current)))
      return checkRates(inference, current, check)
  }
  const headers = rateHeaders(limits, result.left)
  if (result.refusedBy) {
    const { refusedBy, waitMs } = result
    const retryMs = inference.retryTimes.next(request, { refusedBy, waitMs, now: clock.monotonic() })
    throw refusal(current, { request, refusedBy, retryMs, headers })
  }
  if (never) throw tokensExceed(limits, never, { tokens: check.tokens, headers })
  const { clientAddress, patience } = check
  return { key: current, clientAddress, patience, request, result, headers, checkedAt }
}

/** The key that pays a request, as the request knows it. */
export function payerOf({ key: { accountId, keyId, revision }, patience }: Allowed) {
  return { accountId, keyId, keyRevision: revision, patience }
}

/** What a key may do in each window: its own, its account's or the platform's limit. */
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

/** The copy that stands: ours when Redis has the same revision, else what Postgres says now, and Redis is told. */
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
    const name = revisionName(inference.rates.prefix, key.accountId, key.keyId)
    void raiseRevision(inference.rates.redis, name, current.revision)
  }
  return current
}

/** The token window that is smaller than what is asked for: no waiting would help. */
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
 * Asked before each upstream call: does the key still stand? An admission younger than `admissionValidMs` is
 * answer enough, since a revocation is not confirmed before that has passed (docs/behaviour.md, Errors): then there
 * is nothing to wait for. Postgres is waited for with the patience of the request, unless another is given. Throws what
 * `identify` throws.
 */
export function recheckKey(
  inference: Inference,
  allowed: Allowed,
  patience: Patience = allowed.patience,
): Promise<void> | undefined {
  const age = inference.context.clock.monotonic() - allowed.checkedAt
  return age < admissionValidMs ? undefined : readKeyAgain(inference, allowed, patience)
}

async function readKeyAgain(inference: Inference, allowed: Allowed, patience: Patience): Promise<void> {
  const { clock } = inference.context
  const now = clock.monotonic()
  const { key } = allowed
  const name = revisionName(inference.rates.prefix, key.accountId, key.keyId)
  const told = await inference.rates.redis.get(name).then(
    text => (text === null ? undefined : BigInt(text)),
    () => null,
  )
  const current = await currentCopy(inference, key, told, patience)
  if (current.keyId !== key.keyId) throw new Problem('no_access')
  requireUsable(current, { now: clock.monotonic(), clientAddress: allowed.clientAddress })
  allowed.key = current
  allowed.checkedAt = now
}

/**
 * Whether what `recheckKey` last found may still begin a call: asked when the bytes of the call are about to leave on
 * a connected socket, which a slow handshake may delay by seconds.
 */
export function mayStartCall({ context }: Inference, { checkedAt }: Allowed): boolean {
  return context.clock.monotonic() - checkedAt < callStartsWithinMs
}
