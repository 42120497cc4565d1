import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import type { Budget, BudgetSubject, ShortOf } from './hold.ts'

/** Returns the error of a request that exceeds a limit. The error of a budget names it. */
export function limitReached(shortOf: ShortOf): Problem {
  const shouldRetry = false
  if (shortOf === 'balance') return new Problem('insufficient_credits', { shouldRetry })
  if (shortOf === 'cap') return new Problem('credit_limit_reached', { shouldRetry })
  const message =
    `The budget of ${describeSubject(shortOf)} has reached its limit for the current period, including amounts ` +
    'reserved by requests in progress.'
  return new Problem('budget_limit_reached', { shouldRetry, message })
}

/** Names the requests that a budget counts, within a sentence. Characters that would break a line are escaped. */
export function describeSubject({ kind, key, value }: BudgetSubject): string {
  switch (kind) {
    case 'account':
      return 'the account'
    case 'member':
      return 'the member who owns the API key'
    case 'api_key':
      return 'the API key'
    case 'tag':
      return `the tag ${JSON.stringify(key)} with the value ${JSON.stringify(value)}`
    case 'end_user':
      return `the end user ${JSON.stringify(value)}`
  }
}

/**
 * Reports that the amount left of a key's cap or of a budget was too small for a request, for its alert
 * (schema/statements/due-alert.sql). It runs in the background and does not affect the request.
 */
export function notifyRefused(
  { sql, log }: Pick<Context, 'sql' | 'log'>,
  { accountId, keyId, limit }: { accountId: string; keyId: string; limit: 'cap' | Budget },
): void {
  const fired =
    limit === 'cap'
      ? sql`select fire_cap_alert(${accountId}, ${keyId}, 'refused')`
      : sql`select fire_budget_alert(${accountId}, ${limit.id}, 'refused')`
  fired.catch(error =>
    log.warn({ err: error, accountId, keyId }, 'firing the alert of a reached limit failed'),
  )
}
