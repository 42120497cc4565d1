import type { Config } from '../../platform/config/read-config.ts'
import { Problem } from '../../schema/errors.ts'
import type { CachedKey } from '../keys/key-cache.ts'

/**
 * Refuses credits to an account without a confirmed e-mail address, if the operator requires one. Throws
 * `email_not_confirmed`.
 */
export function requireConfirmed(
  { requireConfirmedEmail }: Pick<Config, 'requireConfirmedEmail'>,
  { isConfirmed }: Pick<CachedKey, 'isConfirmed'>,
): void {
  if (requireConfirmedEmail && !isConfirmed) throw new Problem('email_not_confirmed')
}
