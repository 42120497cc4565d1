import { NANOS_PER_DOLLAR } from '../../platform/money.ts'
import type { ResetInterval } from '../../schema/entities/keys.ts'
import { Problem } from '../../schema/errors.ts'
import { checkIpAllowList } from './ip-allow-list.ts'

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

const maxNameLength = 200
const maxLimitNanos = 1_000_000_000n * NANOS_PER_DOLLAR

/** Checks what is set on a key (contract: API keys, POST body). Throws `validation_failed` naming the parameter. */
export function checkKeySettings(settings: KeySettings): void {
  const { name, ipWhitelist, creditLimitNanos } = settings
  if (name !== undefined && name.trim() === '') refuse('name', 'must not be empty')
  if (name !== undefined && name.length > maxNameLength)
    refuse('name', `must have at most ${maxNameLength} characters`)
  if (ipWhitelist) checkIpAllowList(ipWhitelist)
  for (const param of ['rateLimitRpm', 'rateLimitTph', 'rateLimitTpd'] as const) {
    const limit = settings[param]
    if (typeof limit !== 'number') continue
    if (limit < 0) refuse(param, 'must not be negative')
    if (!Number.isSafeInteger(limit)) refuse(param, 'must be a whole number')
  }
  if (typeof creditLimitNanos === 'bigint') {
    if (creditLimitNanos < 0n) refuse('creditLimit', 'must not be negative')
    if (creditLimitNanos > maxLimitNanos) refuse('creditLimit', 'must be at most 1000000000 dollars')
  }
}

function refuse(param: string, rule: string): never {
  throw new Problem('validation_failed', { param, message: `${param} ${rule}.` })
}
