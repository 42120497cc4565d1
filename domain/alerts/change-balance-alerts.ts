import { isUuid } from '../../platform/checks.ts'
import { NANOS_PER_DOLLAR } from '../../platform/money.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import type { Context } from '../context.ts'
import { type BalanceAlert, balanceAlertColumns } from './balance-alert-records.ts'

/** Maximum number of alerts per account. Not an allowance: it bounds the list that shows them all. */
export const maxAlerts = 50

/** Maximum threshold of an alert. */
export const maxThresholdNanos = 1_000_000_000n * NANOS_PER_DOLLAR

/**
 * Creates an alert. If credits are already below the threshold, the alert cannot fire until they have reached it.
 * Throws `validation_failed`, and `conflict` if the account already has 50 alerts.
 */
export async function createBalanceAlert(
  { sql, ids, clock }: Pick<Context, 'sql' | 'ids' | 'clock'>,
  { accountId, thresholdNanos }: { accountId: string; thresholdNanos: bigint },
): Promise<BalanceAlert> {
  checkThreshold(thresholdNanos)
  const [id, createdAt] = [ids.uuid(), new Date(clock.now())]
  return sql.begin(async transaction => {
    await lockBalance(transaction, accountId)
    await requireFewerThanMax(transaction, accountId)
    const [alert] = await transaction<BalanceAlert[]>`
      insert into balance_alerts (account_id, id, threshold_nanos, armed, created_at)
      select account_id, ${id}, ${thresholdNanos}, credits_nanos >= ${thresholdNanos}, ${createdAt}
      from balances where account_id = ${accountId}
      returning ${balanceAlertColumns(transaction)}`
    await transaction`select mark_balance_alerts(${accountId})`
    return alert!
  })
}

/** Deletes an alert. Its queued e-mails are not sent. Throws `alert_not_found`. */
export async function deleteBalanceAlert(
  { sql }: Pick<Context, 'sql'>,
  { accountId, alertId }: { accountId: string; alertId: string },
): Promise<void> {
  if (!isUuid(alertId)) throw new Problem('alert_not_found')
  await sql.begin(async transaction => {
    await lockBalance(transaction, accountId)
    const { count } = await transaction`
      delete from balance_alerts where account_id = ${accountId} and id = ${alertId}`
    if (count === 0) throw new Problem('alert_not_found')
    await transaction`select mark_balance_alerts(${accountId})`
  })
}

function checkThreshold(thresholdNanos: bigint): void {
  if (thresholdNanos < 0n) refuseParam('threshold', 'must not be negative')
  if (thresholdNanos > maxThresholdNanos) refuseParam('threshold', 'must be at most 1000000000 dollars')
}

/** Locks the balance and posts its charges, so that none changes the credits while the new alert is compared with them. */
async function lockBalance(sql: SqlTransaction, accountId: string): Promise<void> {
  await sql`insert into balances (account_id) values (${accountId}) on conflict do nothing`
  await sql`select post_account(${accountId})`
}

async function requireFewerThanMax(sql: SqlTransaction, accountId: string): Promise<void> {
  const [row] = await sql<{ alerts: number }[]>`
    select count(*)::integer as alerts from balance_alerts where account_id = ${accountId}`
  if ((row?.alerts ?? 0) < maxAlerts) return
  throw new Problem('conflict', { message: `An account has at most ${maxAlerts} balance alerts.` })
}
