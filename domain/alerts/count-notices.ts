import type { Context } from '../context.ts'

type CountingContext = Pick<Context, 'sql' | 'config'>

/** Whether an account was sent as many notices on this day (UTC) as `ALERT_NOTICES` allows. */
export async function isToldEnough(
  { sql, config }: CountingContext,
  { accountId }: { accountId: string },
): Promise<boolean> {
  const [row] = await sql<{ sent: number }[]>`
    select sent from alert_notices
    where account_id = ${accountId} and day = (now() at time zone 'UTC')::date`
  return row !== undefined && row.sent >= config.alertNotices
}

/** Counts a notice that was sent. */
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
