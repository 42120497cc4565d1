import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import type { BudgetSubject, ShortOf } from './hold.ts'

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
function describeSubject({ kind, key, value }: BudgetSubject): string {
  const text = JSON.stringify(value)
  return kind === 'tag' ? `the tag ${JSON.stringify(key)} with the value ${text}` : `the end user ${text}`
}

/**
 * Reports that the amount left of a key's cap was too small for a request, for the alert of the key's budget
 * (schema/statements/fire-budget-alert.sql). It runs in the background and does not affect the request.
 */
export function notifyCapRefused(
  { sql, log }: Pick<Context, 'sql' | 'log'>,
  { accountId, keyId }: { accountId: string; keyId: string },
): void {
  sql`select fire_budget_alert(${accountId}, ${keyId}, 'refused')`.catch(error =>
    log.warn({ err: error, accountId, keyId }, 'firing the alert for a reached cap failed'),
  )
}
