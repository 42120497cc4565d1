import type { RateLimits, RateResult, WindowName } from './window.ts'

/** The windows of a key, which the headers of responses describe. */
type KeyWindow = Exclude<WindowName, 'account'>

const lengthSeconds: Record<Exclude<KeyWindow, 'burst'>, number> = { rpm: 60, tph: 3_600, tpd: 86_400 }

/**
 * Returns the `x-ratelimit-*` headers of a response. They describe the request window, and the token window, with the
 * lowest remaining amount. `reset` is the length of that window, after which all of it is available again. If the
 * limits were not checked (`left` is undefined), the headers have only the lowest limit.
 */
export function rateHeaders(
  limits: RateLimits,
  left: RateResult['left'] | undefined,
): Record<string, string> {
  const headers: Record<string, string> = {}
  addHeaders(headers, 'requests', { limits, left, window: smaller(left ?? limits, 'burst', 'rpm') })
  addHeaders(headers, 'tokens', { limits, left, window: smaller(left ?? limits, 'tph', 'tpd') })
  return headers
}

/** Returns the message of a refusal: the exceeded limit, and when to retry. */
export function rateMessage(limits: RateLimits, refusedBy: KeyWindow, retryAfterSeconds: number): string {
  const descriptions: Record<KeyWindow, string> = {
    burst: `${limits.burst} new requests per ${limits.burstWindowMs / 1000} seconds`,
    rpm: `rate_limit_rpm: ${limits.rpm} requests per minute`,
    tph: `rate_limit_tph: ${limits.tph} tokens per hour`,
    tpd: `rate_limit_tpd: ${limits.tpd} tokens per day`,
  }
  return `Rate limit exceeded (${descriptions[refusedBy]}). Retry after ${retryAfterSeconds} s.`
}

/** Returns the window with the lower amount; undefined if no window has an amount. */
function smaller(
  figures: Record<KeyWindow, number | null>,
  one: KeyWindow,
  other: KeyWindow,
): KeyWindow | undefined {
  const [a, b] = [figures[one], figures[other]]
  if (a === null) return b === null ? undefined : other
  return b === null || a <= b ? one : other
}

/** The full header names, because a concatenated name would be looked up again for each response. */
const names = {
  requests: {
    limit: 'x-ratelimit-limit-requests',
    remaining: 'x-ratelimit-remaining-requests',
    reset: 'x-ratelimit-reset-requests',
  },
  tokens: {
    limit: 'x-ratelimit-limit-tokens',
    remaining: 'x-ratelimit-remaining-tokens',
    reset: 'x-ratelimit-reset-tokens',
  },
}

function addHeaders(
  headers: Record<string, string>,
  what: 'requests' | 'tokens',
  stated: { limits: RateLimits; left: RateResult['left'] | undefined; window: KeyWindow | undefined },
): void {
  const { limits, left, window } = stated
  if (!window) return
  const seconds = window === 'burst' ? limits.burstWindowMs / 1000 : lengthSeconds[window]
  const { limit, remaining, reset } = names[what]
  headers[limit] = String(limits[window])
  if (left) headers[remaining] = String(left[window])
  headers[reset] = `${seconds}s`
}
