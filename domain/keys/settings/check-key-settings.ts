import { NANOS_PER_DOLLAR } from '../../../platform/money.ts'
import { Problem } from '../../../schema/errors.ts'
import { checkIpAllowList } from '../ip-allow-list.ts'
import type { KeySettings } from './key-settings.ts'

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
