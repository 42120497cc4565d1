import type { Context } from '../context.ts'
import { matchRequests, type RequestFilter } from './match-requests.ts'

/**
 * How many requests of an account the log holds, as the filter wants them, counted to `most`. Takes longer the more
 * there are, and the fewer of them are wanted.
 */
export async function countRequests(
  { sql }: Pick<Context, 'sql'>,
  { accountId, filter, most }: { accountId: string; filter: RequestFilter; most: number },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::float8 as total from (
      select from request_logs where ${matchRequests(sql, accountId, filter)} limit ${most}
    ) counted`
  return row?.total ?? 0
}
