import { allowanceOf } from '../allowances/allowances.ts'
import { standingOf } from '../allowances/standing.ts'
import type { Context } from '../context.ts'

type CountingContext = Pick<Context, 'sql' | 'allowances'>

/** Returns whether an account has received as many notifications today (UTC) as its allowance permits. */
export async function hasReachedNoticeLimit(
  { sql, allowances }: CountingContext,
  { accountId }: { accountId: string },
): Promise<boolean> {
  const [row] = await sql<{ sent: number }[]>`
    select sent from alert_notices
    where account_id = ${accountId} and day = (now() at time zone 'UTC')::date`
  const limit = allowanceOf(allowances, await standingOf(allowances, accountId), 'alert_notices')
  return (row?.sent ?? 0) >= limit
}

/** Counts a notification that was sent. */
export async function countNotice(
  { sql }: CountingContext,
  { accountId }: { accountId: string },
): Promise<void> {
  await sql`
    insert into alert_notices as n (account_id, day, sent)
    values (${accountId}, (now() at time zone 'UTC')::date, 1)
    on conflict (account_id) do update
      set sent = case when n.day = excluded.day then n.sent + 1 else 1 end, day = excluded.day`
}
