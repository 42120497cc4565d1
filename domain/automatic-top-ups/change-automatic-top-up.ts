import { NANOS_PER_CENT } from '../../platform/money.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import { maxNanos, minNanos } from '../billing/start-top-up.ts'
import { checkAll } from '../check-all.ts'
import type { Context } from '../context.ts'
import { readSavedCard } from '../stripe/saved-cards.ts'
import { type AutomaticTopUp, readAutomaticTopUp } from './automatic-top-up.ts'

/** The values to change. Undefined values are not changed. */
export interface AutomaticTopUpChange {
  isOn?: boolean | undefined
  thresholdNanos?: bigint | undefined
  amountNanos?: bigint | undefined
  dailyMaxNanos?: bigint | undefined
}

/** The maximum of `dailyMaxNanos`. */
const highestDailyMaxNanos = 10n * maxNanos

/**
 * Changes the automatic top-up of an account, and forgets earlier declines. A top-up in progress ends as it began. If
 * the available credits are below the threshold already, a top-up starts at once. Throws `validation_failed`, also if it
 * is switched on while no card is saved.
 */
export async function changeAutomaticTopUp(
  { sql }: Pick<Context, 'sql'>,
  {
    accountId,
    change,
    action,
  }: { accountId: string; change: AutomaticTopUpChange; action?: ActionMark | undefined },
): Promise<AutomaticTopUp> {
  return sql.begin(async transaction => {
    await transaction`select lock_balance(${accountId})`
    const before = await readAutomaticTopUp({ sql: transaction }, { accountId })
    const after = { ...before, ...definedOf(change) }
    check(after)
    if (change.isOn && !(await readSavedCard({ sql: transaction }, { accountId })))
      refuseParam('isEnabled', 'requires a saved card')
    const { isOn, thresholdNanos, amountNanos, dailyMaxNanos } = after
    const stopReason = change.isOn === undefined ? before.stopReason : null
    await transaction`
      insert into automatic_top_ups as a (account_id, is_on, threshold_nanos, amount_nanos, daily_max_nanos)
      values (${accountId}, ${isOn}, ${thresholdNanos}, ${amountNanos}, ${dailyMaxNanos})
      on conflict (account_id) do update set is_on = excluded.is_on, threshold_nanos = excluded.threshold_nanos,
        amount_nanos = excluded.amount_nanos, daily_max_nanos = excluded.daily_max_nanos, declines = 0, retry_at = null,
        stop_reason = ${stopReason}, updated_at = now()`
    await transaction`select mark_automatic_top_up(${accountId})`
    if (action) await endAction({ sql: transaction }, action)
    return { ...after, stopReason, retryAt: null }
  })
}

function definedOf(change: AutomaticTopUpChange): Partial<AutomaticTopUp> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}

function check({ thresholdNanos, amountNanos, dailyMaxNanos }: AutomaticTopUp): void {
  checkAll(
    () =>
      refuseUnless(
        thresholdNanos >= minNanos && thresholdNanos <= maxNanos,
        'threshold',
        'must be 1 to 10000 dollars',
      ),
    () =>
      refuseUnless(
        amountNanos >= minNanos && amountNanos <= maxNanos,
        'amount',
        'must be 1 to 10000 dollars',
      ),
    () => refuseUnless(amountNanos % NANOS_PER_CENT === 0n, 'amount', 'must have at most two decimals'),
    () =>
      refuseUnless(
        dailyMaxNanos >= amountNanos && dailyMaxNanos <= highestDailyMaxNanos,
        'dailyMaximum',
        'must be at least the amount, and at most 100000 dollars',
      ),
  )
}

function refuseUnless(isRight: boolean, param: string, rule: string): void {
  if (!isRight) refuseParam(param, rule)
}
