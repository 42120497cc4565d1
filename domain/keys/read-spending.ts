import type { ResetInterval } from '../../schema/entities/keys.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'

/** The cap and the spending of a key, in nano-dollars. Amounts that are only reserved are not included. */
export interface KeySpending {
  name: string
  /** The ID of the user who created the key; null if it was not created in a session. */
  createdBy: string | null
  expiresAt: Date | null
  /** The spend cap of one period; null if the key has none. */
  limitNanos: bigint | null
  resetInterval: ResetInterval
  /** The amount spent in the current period. */
  spentNanos: bigint
  /** The amounts spent in the current UTC day, week and month. */
  dayNanos: bigint
  weekNanos: bigint
  monthNanos: bigint
  /** The amount that the key ever spent. */
  totalNanos: bigint
}

/** Reads the spending of a key with one statement. Throws `no_access` if the key was revoked. */
export async function readSpending(
  { sql }: Pick<Context, 'sql'>,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<KeySpending> {
  const spentIn = (interval: 'daily' | 'weekly' | 'monthly' | undefined) => sql`
    spent_in_window(${interval ?? sql`b.reset_interval`}, b.counted_at, b.day_spent_nanos, b.week_spent_nanos, b.month_spent_nanos,
      b.total_spent_nanos, now())`
  const [spending] = await sql<KeySpending[]>`
    select k.name, k.created_by as "createdBy", k.expires_at as "expiresAt", b.limit_nanos as "limitNanos",
      b.reset_interval as "resetInterval", ${spentIn(undefined)} as "spentNanos", ${spentIn('daily')} as "dayNanos",
      ${spentIn('weekly')} as "weekNanos", ${spentIn('monthly')} as "monthNanos", b.total_spent_nanos as "totalNanos"
    from api_keys k join current_key_budgets b on b.account_id = k.account_id and b.key_id = k.id
    where k.account_id = ${accountId} and k.id = ${keyId} and k.revoked_at is null`
  if (!spending) throw new Problem('no_access')
  return spending
}
