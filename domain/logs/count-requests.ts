import type { Context } from '../context.ts'
import { matchRequests, type RequestFilter } from './match-requests.ts'

/** How many requests of an account the log holds, as the filter wants them. Takes longer the more there are. */
export async function countRequests(
  { sql }: Pick<Context, 'sql'>,
  { accountId, filter }: { accountId: string; filter: RequestFilter },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::float8 as total from request_logs where ${matchRequests(sql, accountId, filter)}`
  return row?.total ?? 0
}
