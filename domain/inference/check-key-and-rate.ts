import type { Config } from '../../platform/config/read-config.ts'
import { Problem } from '../../schema/errors.ts'
import type { KeyCopy } from '../keys/key-copy.ts'
import { raiseRevision, revisionName } from '../keys/key-revision.ts'
import { checkRate } from '../rates/check-rate.ts'
import type { RateAnswer, RateQuestion } from '../rates/question.ts'
import { rateHeaders, rateMessage } from '../rates/rate-headers.ts'
import type { RateLimits } from '../rates/window.ts'
import { requireUsable } from './identify.ts'
import type { Inference } from './open-inference.ts'

/** A request that its key and its rates allow. */
export interface Allowed {
  /** The key as it stands now: a newer copy where it changed. */
  key: KeyCopy
  clientAddress: string
  question: RateQuestion
  answer: RateAnswer
  /** The `x-ratelimit-*` headers of the answer. */
  headers: Record<string, string>
  /** When the key was last known to stand, in milliseconds since 1970. */
  checkedAt: number
}

/**
 * One question to Redis: does the key stand as we know it, and is it within its rates. Where Redis does not know the
 * key, knows it as it was, or is away, Postgres says how it stands. `tell` is given the rate headers, of refusals too.
 * Throws `rate_limit_exceeded` with `retryAfterSeconds`, and what `identify` throws where the key changed.
 */
export async function checkKeyAndRate(
  inference: Inference,
  key: KeyCopy,
  options: { tokens: number; clientAddress: string; tell(headers: Record<string, string>): void },
): Promise<Allowed> {
  const { config, clock } = inference.context
  const checkedAt = clock.now()
  const limits = limitsOf(config, key)
  const question = { accountId: key.accountId, keyId: key.keyId, limits, tokens: options.tokens }
  const answer = await checkRate(inference.rates, question)
  const current = await currentCopy(inference, key, answer.revision)
  if (current.revision !== key.revision) {
    // It changed: the new copy is judged whole, by its own limits.
    requireUsable(current, { now: clock.now(), clientAddress: options.clientAddress })
    return checkKeyAndRate(inference, current, options)
  }
  const headers = rateHeaders(limits, answer.left)
  options.tell(headers)
  if (answer.refusedBy) throw refusal(limits, answer, answer.refusedBy)
  return { key: current, clientAddress: options.clientAddress, question, answer, headers, checkedAt }
}

/** What a key may do in each window: its own, its account's or the platform's limit. */
export function limitsOf(config: Config, key: KeyCopy): RateLimits {
  return {
    burst: key.rateRequests ?? config.rateRequests,
    burstWindowMs: config.rateWindowSeconds * 1000,
    rpm: key.rpm,
    tph: key.tph,
    tpd: key.tpd,
  }
}

/** The copy that stands: ours when Redis has the same revision, else what Postgres says now, and Redis is told. */
export async function currentCopy(
  inference: Inference,
  key: KeyCopy,
  revision: RateAnswer['revision'],
): Promise<KeyCopy> {
  if (revision === key.revision) return key
  let current: KeyCopy | undefined
  try {
    current = await inference.keys.read(key.publicId)
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

function refusal(limits: RateLimits, { waitMs }: RateAnswer, refusedBy: keyof RateAnswer['left']): Problem {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new Problem('rate_limit_exceeded', {
    retryAfterSeconds,
    message: rateMessage(limits, refusedBy, retryAfterSeconds),
  })
}
