import { isUuid } from '../../platform/checks.ts'
import { NANOS_PER_DOLLAR } from '../../platform/money.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import type { ActionMark } from '../audit/record-action.ts'
import { checkAll } from '../check-all.ts'
import type { Context } from '../context.ts'
import { raiseRevisions } from '../keys/raise-revisions.ts'
import { type Adjusted, adjustCredits } from '../ledger/adjust-credits.ts'
import { balanceTopic } from './watch-balances.ts'

/** A manual adjustment of an account's credits. */
export interface AccountAdjustment {
  accountId: string
  direction: 'credit' | 'debit'
  /** The amount, positive for credits and debits alike. */
  amountNanos: bigint
  reason: string
  /** The idempotency key. A second adjustment under the same key changes nothing. */
  idempotencyKey?: string | undefined
  /** The row of the audit log, which the same transaction marks as done. */
  action?: ActionMark | undefined
}

/** Maximum amount of one adjustment, which catches typing errors. */
export const maxAdjustmentNanos = 1_000_000n * NANOS_PER_DOLLAR

/** The shape of an idempotency key. */
export const adjustmentKeyShape = /^[\x21-\x7e]{1,100}$/

/**
 * Adds money to an account or takes available money from it. Throws `validation_failed`, `not_found` if the account
 * does not exist, `insufficient_credits`, and `conflict` if the idempotency key was used with another amount.
 */
export async function adjustAccount(
  context: Pick<Context, 'config' | 'sql' | 'ids' | 'news' | 'redis'>,
  { accountId, direction, amountNanos, reason, idempotencyKey, action }: AccountAdjustment,
): Promise<Adjusted> {
  checkAll(
    () => check(isUuid(accountId), 'accountId', 'must be the ID of an account'),
    () =>
      check(
        amountNanos > 0n && amountNanos <= maxAdjustmentNanos,
        'amount',
        'must be more than 0, and at most 1000000 dollars',
      ),
    () => check(/\S/.test(reason) && reason.length <= 500, 'reason', 'must have 1 to 500 characters'),
    () =>
      check(
        idempotencyKey === undefined || adjustmentKeyShape.test(idempotencyKey),
        'idempotencyKey',
        'must be 1 to 100 visible characters without spaces',
      ),
  )
  await requireAccount(context, accountId)
  const adjusted = await adjustCredits(context, {
    accountId,
    amountNanos: direction === 'credit' ? amountNanos : -amountNanos,
    source: `by-hand:${idempotencyKey ?? context.ids.uuid()}`,
    reason: reason.trim(),
    actionId: action?.id,
  })
  await raiseRevisions(context, { accountId })
  await context.news.publish(balanceTopic(accountId), {})
  return adjusted
}

function check(isRight: boolean, param: string, rule: string): void {
  if (!isRight) refuseParam(param, rule)
}

async function requireAccount({ sql }: Pick<Context, 'sql'>, accountId: string): Promise<void> {
  const [account] = await sql`select 1 from accounts where id = ${accountId}`
  if (!account) throw new Problem('not_found', { message: `There is no account ${accountId}.` })
}
