import { dollars } from '../../platform/money.ts'
import type { ResetInterval } from '../../schema/entities/keys.ts'
import { type BudgetRecord, findBudgets } from '../budgets/budget-records.ts'
import type { Context } from '../context.ts'
import { describeSubject } from '../ledger/reached-limits.ts'
import { dollarText } from './dollar-text.ts'
import { perPeriod, untilReset } from './limit-text.ts'
import { type Notice, notifyAccount } from './notify-account.ts'

/** The payload of a fired budget alert: written by `fire_budget_alert`, passed in its job. */
export interface FiredBudgetAlert {
  accountId: string
  budgetId: string
  /** The ID of this firing. */
  id: string
  /** The share of its limit that the budget has reached, in percent: 80 or 100. */
  percent: number
  /** The limit, and the amount spent in the period, in nano-dollars as text. */
  limitNanos: string
  spentNanos: string
  resetInterval: ResetInterval
  /** When the alert fired, in ISO 8601. */
  at: string
}

/**
 * Sends the e-mail and the webhook of a budget alert. Sends nothing if the budget was deleted in the meantime. A repeated
 * call sends both with the same IDs. Throws if the mail server does not accept the e-mail; the job is then retried.
 */
export async function sendBudgetAlert(
  context: Pick<Context, 'sql' | 'config' | 'log' | 'allowances'>,
  { fired, signal }: { fired: FiredBudgetAlert; signal: AbortSignal },
): Promise<void> {
  const { accountId, budgetId } = fired
  const [budget] = await findBudgets(context, { accountId, budgetIds: [budgetId] })
  if (!budget) return
  const subject = await nameSubject(context, accountId, budget)
  await notifyAccount(context, { accountId, notice: noticeOf(fired, budget, subject), signal })
}

/** Names the subject of a budget for the account's users: keys by their name, members by their e-mail address. */
async function nameSubject(
  { sql }: Pick<Context, 'sql'>,
  accountId: string,
  budget: BudgetRecord,
): Promise<string> {
  const { kind, value } = budget
  if (kind === 'api_key') {
    const [key] = await sql<{ name: string; keyPrefix: string }[]>`
      select name, key_prefix as "keyPrefix" from api_keys where account_id = ${accountId} and id = ${value}`
    if (key) return `the API key ${key.name} (${key.keyPrefix})`
  }
  if (kind === 'member') {
    const [member] = await sql<{ email: string }[]>`
      select u.email from memberships m join users u on u.id = m.user_id
      where m.account_id = ${accountId} and m.user_id = ${value}`
    if (member) return `the member ${member.email}`
  }
  return describeSubject(budget)
}

function noticeOf(
  { id, percent, resetInterval, at, limitNanos, spentNanos }: FiredBudgetAlert,
  { id: budgetId, kind, key, value, action }: BudgetRecord,
  subject: string,
): Notice {
  const isUsedUp = percent === 100
  const refusal = isUsedUp
    ? `Requests that need more than the rest of the budget are refused with 402${untilReset(resetInterval, 'limit')}.`
    : 'When the budget is used up, these requests are refused with 402.'
  return {
    id: `budget_${id.replaceAll('-', '')}`,
    event: 'budget.reached',
    at: new Date(at).toISOString(),
    data: {
      budget_id: budgetId,
      kind,
      api_key_id: kind === 'api_key' ? value : null,
      member_id: kind === 'member' ? value : null,
      tag: kind === 'tag' ? { key, value } : null,
      end_user: kind === 'end_user' ? value : null,
      action,
      percent,
      limit: dollars(BigInt(limitNanos)),
      spent: dollars(BigInt(spentNanos)),
      reset_interval: resetInterval,
    },
    mail: {
      subject: isUsedUp ? 'A budget is used up' : 'A budget is 80% used',
      paragraphs: [
        `The budget of ${subject} has spent ${dollarText(spentNanos)} of ${dollarText(limitNanos)}${perPeriod[resetInterval]}.`,
        action === 'refuse' ? refusal : 'This budget refuses no requests.',
        'You get this e-mail once when a budget reaches 80% and once when it reaches 100%, in each period.',
      ],
    },
  }
}
