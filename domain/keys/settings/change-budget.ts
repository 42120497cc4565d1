import { KeyBudgetEntity } from '../../../schema/entities/key-budgets.ts'
import type { ManagementContext } from '../../management-context.ts'
import type { KeySettings } from './key-settings.ts'

/**
 * Changes the cap of a key inside the caller's transaction: its last statement, since settlements of the account wait for
 * the row. What the key has spent is counted for every interval as requests settle, so that another interval only says
 * which of the counters is held against the cap.
 */
export async function changeBudget(
  em: ManagementContext['em'],
  args: { accountId: string; keyId: string; changes: KeySettings },
): Promise<void> {
  const { accountId, keyId, changes } = args
  const { creditLimitNanos: limitNanos, creditResetInterval: resetInterval } = changes
  if (limitNanos === undefined && resetInterval === undefined) return
  await em.nativeUpdate(
    KeyBudgetEntity,
    { accountId, keyId },
    {
      ...(limitNanos !== undefined && { limitNanos }),
      ...(resetInterval !== undefined && { resetInterval }),
    },
  )
}
