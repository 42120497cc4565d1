import type { Context } from '../context.ts'
import { matchRequests, type RequestFilter } from './match-requests.ts'
import { type RequestLog, requestLogColumns } from './request-log.ts'

/** A place in the list. */
export type RequestPosition = Pick<RequestLog, 'createdMicros' | 'id'>

/**
 * Lists requests of an account, newest first: at most `limit` of them, those that stand after `after` in the list.
 * The filter's time range and that position prune the log's daily partitions.
 */
export async function listRequests(
  { sql }: Pick<Context, 'sql'>,
  args: { accountId: string; filter: RequestFilter; limit: number; after?: RequestPosition | undefined },
): Promise<RequestLog[]> {
  return sql<RequestLog[]>`
    select ${requestLogColumns(sql)} from request_logs
    where ${matchRequests(sql, args.accountId, args.filter)} ${args.after ? beyond(sql, args.after) : sql``}
    order by created_at desc, id desc
    limit ${args.limit}`
}

/** The comparison of pairs is exact; the plain one says the same of the time alone, and prunes. */
function beyond(sql: Context['sql'], { createdMicros, id }: RequestPosition) {
  const createdAt = sql`timestamptz 'epoch' + ${createdMicros} * interval '1 microsecond'`
  return sql`and created_at <= ${createdAt} and (created_at, id) < (${createdAt}, ${id})`
}
