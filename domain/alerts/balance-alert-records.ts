import { isUuid } from '../../platform/checks.ts'
import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'

/** A balance alert of an account. It sends one e-mail when credits fall below its threshold. */
export interface BalanceAlert {
  id: string
  thresholdNanos: bigint
  /** Whether the alert can fire: since it last fired, credits have been at or above the threshold. */
  isArmed: boolean
  /** When its last e-mail was sent; null if none was. */
  lastSentAt: Date | null
  createdAt: Date
}

/** Lists the alerts of an account, newest first: at most 50. */
export async function listBalanceAlerts(
  { sql }: Pick<Context, 'sql'>,
  { accountId }: { accountId: string },
): Promise<BalanceAlert[]> {
  return sql<BalanceAlert[]>`
    select ${balanceAlertColumns(sql)} from balance_alerts where account_id = ${accountId}
    order by created_at desc, id desc`
}

/** Finds alerts of an account by their IDs, in any order. Unknown IDs are skipped. */
export async function findBalanceAlerts(
  { sql }: Pick<Context, 'sql'>,
  { accountId, alertIds }: { accountId: string; alertIds: readonly string[] },
): Promise<BalanceAlert[]> {
  return sql<BalanceAlert[]>`
    select ${balanceAlertColumns(sql)} from balance_alerts
    where account_id = ${accountId} and id = any (${alertIds.filter(isUuid)}::uuid[])`
}

/** The columns of an alert, by the names of `BalanceAlert`. */
export function balanceAlertColumns(sql: Sql | SqlTransaction) {
  return sql`id, threshold_nanos as "thresholdNanos", armed as "isArmed", last_sent_at as "lastSentAt",
    created_at as "createdAt"`
}
