import type { RateLimits, RateResult, WindowName } from './window.ts'

const lengthSeconds: Record<Exclude<WindowName, 'burst'>, number> = { rpm: 60, tph: 3_600, tpd: 86_400 }

/**
 * The `x-ratelimit-*` headers of a response: of the request windows the one with the least left, and of the token
 * windows likewise. `reset` is the length of that window, after which all of it is available again. Where the limits
 * were not checked (`left` is undefined) the smallest limit is stated, and nothing as remaining.
 */
export function rateHeaders(
  limits: RateLimits,
  left: RateResult['left'] | undefined,
): Record<string, string> {
  return {
    ...headersOf('requests', ['burst', 'rpm'], limits, left),
    ...headersOf('tokens', ['tph', 'tpd'], limits, left),
  }
}

/** The message of a refusal: which limit was exceeded, and when to retry. */
export function rateMessage(limits: RateLimits, refusedBy: WindowName, retryAfterSeconds: number): string {
  const descriptions: Record<WindowName, string> = {
    burst: `${limits.burst} new requests per ${limits.burstWindowMs / 1000} seconds`,
    rpm: `rate_limit_rpm: ${limits.rpm} requests per minute`,
    tph: `rate_limit_tph: ${limits.tph} tokens per hour`,
    tpd: `rate_limit_tpd: ${limits.tpd} tokens per day`,
  }
  return `Rate limit exceeded (${descriptions[refusedBy]}). Retry after ${retryAfterSeconds} s.`
}

function headersOf(
  what: 'requests' | 'tokens',
  names: WindowName[],
  limits: RateLimits,
  left: RateResult['left'] | undefined,
): Record<string, string> {
  const figures = left ?? limits
  const nearest = names.filter(name => figures[name] !== null).sort((a, b) => figures[a]! - figures[b]!)[0]
  if (!nearest) return {}
  const seconds = nearest === 'burst' ? limits.burstWindowMs / 1000 : lengthSeconds[nearest]
  return {
    [`x-ratelimit-limit-${what}`]: String(limits[nearest]),
    ...(left && { [`x-ratelimit-remaining-${what}`]: String(left[nearest]) }),
    [`x-ratelimit-reset-${what}`]: `${seconds}s`,
  }
}
