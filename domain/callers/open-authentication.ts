import { type ForeignKeys, openForeignKeys } from '../accounts/foreign-tokens.ts'
import { openVerifiedTokens, type VerifiedTokens } from '../accounts/verified-tokens.ts'
import type { Context } from '../context.ts'
import { type CallRates, openCallRates } from './call-rates.ts'

/** The services with which a process authenticates callers. */
export interface Authentication {
  /** The keys of the foreign issuer, if one is configured. */
  foreignKeys: ForeignKeys | undefined
  verified: VerifiedTokens
  /** The limits of calls per network, which all processes share. */
  rates: CallRates
}

/** Opens the services with which a process authenticates callers. */
export function openAuthentication({ config, redis }: Pick<Context, 'config' | 'redis'>): Authentication {
  return {
    foreignKeys: openForeignKeys(config),
    verified: openVerifiedTokens(),
    rates: openCallRates({ ...config, redis, prefix: config.redisPrefix }),
  }
}
