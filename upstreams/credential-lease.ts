import type { Clock } from '../platform/clock.ts'
import type { PlatformCredential } from '../platform/config/credentials.ts'
import { type MinuteUse, openMinuteUse } from './minute-use.ts'
import type { UpstreamFailure } from './upstream-failure.ts'

/** Pause of a credential after 429 without `Retry-After`, and the longest pause, in milliseconds. */
const usualPauseMs = 5_000
const maxPauseMs = 600_000

/**
 * Pause of a credential after its vendor refused it, in milliseconds. Then it is tried again, because an operator may
 * have replaced it.
 */
const refusedPauseMs = 60_000

/** One of several credentials of the platform for a vendor, with its recent calls. */
export interface PooledCredential {
  credential: PlatformCredential
  use: MinuteUse
  /** When its pause for a model ends, by the vendor's name for the model. Vendors limit each model separately. */
  pausedUntil: Map<string, number>
}

export function openPooledCredential(credential: PlatformCredential, clock: Clock): PooledCredential {
  return { credential, use: openMinuteUse(clock), pausedUntil: new Map() }
}

/**
 * Returns milliseconds until a credential is below its own limits, or zero. The wait is an estimate. It ends at the
 * next minute of the clock at the latest, when the count of an earlier minute is dropped.
 */
export function limitWaitMs({ credential, use }: PooledCredential): number {
  const { requestsPerMinute, tokensPerMinute } = credential
  if (requestsPerMinute === undefined && tokensPerMinute === undefined) return 0
  const { requests, tokens } = use.now()
  const isBelow =
    requests < (requestsPerMinute ?? Number.POSITIVE_INFINITY) &&
    tokens < (tokensPerMinute ?? Number.POSITIVE_INFINITY)
  return isBelow ? 0 : use.untilNextMs()
}

/** The calls of one request with a pooled credential. */
export interface Lease {
  /**
   * Begins a call. Returns zero and counts the call, or returns the milliseconds until the credential is below its own
   * limits. A pause does not prevent a call: it only makes other credentials come first.
   */
  begin(): number
  /** Ends a call. A refused or busy credential pauses for the model. */
  end(failure: UpstreamFailure | undefined): void
  /** Counts the tokens of an answer. */
  countTokens(tokens: number): void
}

export function openLease(pooled: PooledCredential, model: string, clock: Clock): Lease {
  return {
    begin() {
      const waitMs = limitWaitMs(pooled)
      if (waitMs === 0) pooled.use.add({ requests: 1 })
      return waitMs
    },
    end(failure) {
      const pauseMs = failure && pauseAfter(failure)
      if (pauseMs) pooled.pausedUntil.set(model, clock.monotonic() + pauseMs)
    },
    countTokens(tokens) {
      pooled.use.add({ tokens })
    },
  }
}

function pauseAfter({ kind, details }: UpstreamFailure): number | undefined {
  if (kind === 'auth') return refusedPauseMs
  if (kind !== 'busy') return undefined
  const { retryAfterSeconds } = details
  return retryAfterSeconds ? Math.min(retryAfterSeconds * 1000, maxPauseMs) : usualPauseMs
}
