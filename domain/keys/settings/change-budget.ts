import { KeyBudgetEntity, type ResetInterval } from '../../../schema/entities/key-budgets.ts'
import type { ManagementContext } from '../../management-context.ts'
import type { KeySettings } from './key-settings.ts'

/**
 * Changes the cap of a key inside the caller's transaction. Another interval begins the period that now lies in,
 * with what the key has spent since its start; another limit alone keeps the period.
 */
export async function changeBudget(
  em: ManagementContext['em'],
  args: { accountId: string; keyId: string; createdAt: Date; changes: KeySettings },
): Promise<void> {
  const { accountId, keyId, createdAt, changes } = args
  const { creditLimitNanos, creditResetInterval } = changes
  if (creditResetInterval !== undefined)
    await restartPeriod(em, { accountId, keyId, createdAt, resetInterval: creditResetInterval })
  if (creditLimitNanos !== undefined)
    await em.nativeUpdate(KeyBudgetEntity, { accountId, keyId }, { limitNanos: creditLimitNanos })
}

/**
 * Settlement locks the account's balance before it writes spending. So does this, and before anything else in the
 * budget is locked: what it adds up is whole, and neither waits for the other in a circle.
 */
async function restartPeriod(
  em: ManagementContext['em'],
  args: { accountId: string; keyId: string; createdAt: Date; resetInterval: ResetInterval },
): Promise<void> {
  const { accountId, keyId, createdAt, resetInterval } = args
  await em.execute('select 1 from balances where account_id = ? for no key update', [accountId])
  await em.execute(
    `update key_budgets k set reset_interval = ?, period_start = w.start, spent_nanos = case w.start
       when ?::timestamptz then k.total_spent_nanos
       else (
         select coalesce(sum(l.cost_nanos), 0) from request_logs l
         where l.account_id = k.account_id and l.api_key_id = k.key_id and l.created_at >= w.start
       )
     end
     from (select window_start(?, ?::timestamptz, now()) as start) w
     where k.account_id = ? and k.key_id = ? and k.reset_interval <> ?`,
    [
      resetInterval,
      createdAt.toISOString(),
      resetInterval,
      createdAt.toISOString(),
      accountId,
      keyId,
      resetInterval,
    ],
    'run',
  )
}
