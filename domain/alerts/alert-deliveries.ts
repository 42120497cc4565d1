import type { Context } from '../context.ts'

/** Maximum number of listed deliveries. */
const maxListed = 50

/** Lists the IDs of the account's latest webhooks about alerts, newest first: at most 50. */
export async function listAlertDeliveries(
  { sql }: Pick<Context, 'sql'>,
  { accountId }: { accountId: string },
): Promise<{ id: string }[]> {
  return sql<{ id: string }[]>`
    select id from deliveries where account_id = ${accountId} and task_id is null
    order by created_at desc, id desc limit ${maxListed}`
}
