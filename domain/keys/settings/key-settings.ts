import type { ResetInterval } from '../../../schema/entities/key-budgets.ts'

/** What a person may set on a key. What is left out keeps its value; null takes a limit away. */
export interface KeySettings {
  name?: string | undefined
  ipWhitelist?: readonly string[] | undefined
  /** Requests a minute, tokens an hour, tokens a day. */
  rateLimitRpm?: number | null | undefined
  rateLimitTph?: number | null | undefined
  rateLimitTpd?: number | null | undefined
  creditLimitNanos?: bigint | null | undefined
  creditResetInterval?: ResetInterval | undefined
  expiresAt?: Date | null | undefined
}
