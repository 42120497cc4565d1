import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'
import { type RequestLog, requestLogColumns } from './request-log.ts'

/** Which requests are wanted. Several values of one filter mean any of them. */
export interface RequestFilter {
  keyIds?: readonly string[] | undefined
  /** As the requests named them: `<vendor>/<model_name>`. */
  models?: readonly string[] | undefined
  statuses?: readonly StatusRange[] | undefined
  /** Arrived at or after. */
  since?: Date | undefined
  /** Arrived before. */
  until?: Date | undefined
}

/** HTTP statuses from the lowest to the highest, both included. */
export interface StatusRange {
  lowest: number
  highest: number
}

/** The condition on rows of `request_logs`: of this account, and matching the filter. */
function matchRequests(sql: Sql, accountId: string, filter: RequestFilter) {
  const { keyIds, models, statuses, since, until } = filter
  const always = sql``
  return sql`account_id = ${accountId}
    ${keyIds ? sql`and api_key_id = any(${keyIds}::uuid[])` : always}
    ${models ? sql`and model = any(${models}::text[])` : always}
    ${statuses ? withinAny(sql, statuses) : always}
    ${since ? sql`and created_at >= ${since}` : always}
    ${until ? sql`and created_at < ${until}` : always}`
}

function withinAny(sql: Sql, ranges: readonly StatusRange[]) {
  const lowest = ranges.map(range => range.lowest)
  const highest = ranges.map(range => range.highest)
  return sql`and exists (
    select from unnest(${lowest}::int[], ${highest}::int[]) as wanted (lowest, highest)
    where status between wanted.lowest and wanted.highest
  )`
}

/** A position in the list. */
export type RequestPosition = Pick<RequestLog, 'createdMicros' | 'id'>

/**
 * Lists requests of an account, newest first: at most `limit` that follow `after`. The filter's time range
 * and that position prune the daily partitions of the log.
 */
export async function listRequests(
  { sql }: Pick<Context, 'sql'>,
  args: { accountId: string; filter: RequestFilter; limit: number; after?: RequestPosition | undefined },
): Promise<RequestLog[]> {
  return sql<RequestLog[]>`
    select ${requestLogColumns(sql)} from request_logs
    where ${matchRequests(sql, args.accountId, args.filter)} ${args.after ? following(sql, args.after) : sql``}
    order by created_at desc, id desc
    limit ${args.limit}`
}

/** The comparison of the pair is exact; the one of the time alone follows from it, and prunes partitions. */
function following(sql: Context['sql'], { createdMicros, id }: RequestPosition) {
  const createdAt = sql`timestamptz 'epoch' + ${createdMicros} * interval '1 microsecond'`
  return sql`and created_at <= ${createdAt} and (created_at, id) < (${createdAt}, ${id})`
}

/**
 * Counts the requests of an account in the log that match the filter, up to `most`. Takes longer the more
 * requests there are, and the fewer of them match.
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
