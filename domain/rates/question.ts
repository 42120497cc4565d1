import type { RateLimits, WindowName } from './window.ts'

/** What is asked of the rates for one request. */
export interface RateQuestion {
  accountId: string
  keyId: string
  limits: RateLimits
  /** Tokens that the request takes of the token windows at once. */
  tokens: number
}

/** What they answer. */
export interface RateAnswer {
  /** The key's revision as Redis knows it: undefined when it does not, null when Redis is away. */
  revision: bigint | undefined | null
  refusedBy: WindowName | undefined
  waitMs: number
  /** What is left of each window, null where it is unlimited. */
  left: Record<WindowName, number | null>
}
