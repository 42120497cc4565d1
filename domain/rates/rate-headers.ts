import type { RateLimits, RateResult, WindowName } from './window.ts'

const lengthSeconds: Record<Exclude<WindowName, 'burst'>, number> = { rpm: 60, tph: 3_600, tpd: 86_400 }

/**
 * What is left, as headers of the answer: of the request windows and of the token windows the one that is nearest to
 * its end. `reset` is the length of that window: after so long all of it is there again. Where the rates were not
 * asked (`left` is undefined) the smaller limit is told, and nothing of what is left of it.
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

/** The text that tells a refused client which limit it was and when to come back. */
export function rateMessage(limits: RateLimits, refusedBy: WindowName, retryAfterSeconds: number): string {
  const words: Record<WindowName, string> = {
    burst: `${limits.burst} new requests per ${limits.burstWindowMs / 1000} seconds`,
    rpm: `rate_limit_rpm: ${limits.rpm} requests per minute`,
    tph: `rate_limit_tph: ${limits.tph} tokens per hour`,
    tpd: `rate_limit_tpd: ${limits.tpd} tokens per day`,
  }
  return `Rate limit exceeded (${words[refusedBy]}). Retry after ${retryAfterSeconds} s.`
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
