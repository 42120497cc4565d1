import type { RateLimits, WindowName } from './window.ts'

/** What is asked of the rates for one request. */
export interface RateQuestion {
  accountId: string
  keyId: string
  limits: RateLimits
  /** What it takes of the windows of requests: 0 where it was counted there already. */
  requests: 0 | 1
  /** Tokens that the request takes of the token windows at once. */
  tokens: number
}

/** What they answer. */
export interface RateAnswer {
  /** The key's revision as Redis knows it: undefined when it does not, null when Redis is away. */
  revision: bigint | undefined | null
  refusedBy: WindowName | undefined
  waitMs: number
  /** When it was counted, in milliseconds since 1970 by the clock of who counted: Redis, or this process without it. */
  takenAt: number
  /** What is left of each window, null where it is unlimited. */
  left: Record<WindowName, number | null>
}
