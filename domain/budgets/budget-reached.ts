import { Problem } from '../../schema/errors.ts'
import type { BudgetSubject } from './budget.ts'

/** Returns the error of a request that exceeds a budget. It names the budget. */
export function budgetReached(budget: BudgetSubject): Problem {
  const message =
    `The budget of ${describeSubject(budget)} has reached its limit for the current period, including amounts ` +
    'reserved by requests in progress.'
  return new Problem('budget_limit_reached', { message, shouldRetry: false })
}

/** Names the requests that a budget counts, within a sentence. Characters that would break a line are escaped. */
function describeSubject({ kind, name, value }: BudgetSubject): string {
  const text = JSON.stringify(value)
  return kind === 'tag' ? `the tag ${JSON.stringify(name)} with the value ${text}` : `the end user ${text}`
}
