import type { Config } from '../../platform/config/read-config.ts'
import { Problem } from '../../schema/errors.ts'
import type { CachedKey } from '../keys/key-cache.ts'

/**
 * Refuses credits to an account without a confirmed e-mail address, if the operator requires one. Throws
 * `email_not_confirmed`.
 */
export function requireConfirmed(config: Rule, key: Pick<CachedKey, 'isConfirmed'>): void {
  if (!mayUseCredits(config, key)) throw new Problem('email_not_confirmed')
}

/** Whether the account of a key has confirmed its e-mail address, or needs not to. */
export function mayUseCredits(
  { requireConfirmedEmail }: Rule,
  { isConfirmed }: Pick<CachedKey, 'isConfirmed'>,
): boolean {
  return isConfirmed || !requireConfirmedEmail
}

type Rule = Pick<Config, 'requireConfirmedEmail'>
