import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'
import { type RequestLog, requestLogColumns } from './request-log.ts'

/** What the wanted requests have in common. Several values of one filter mean any of them. */
export interface RequestFilter {
  keyIds?: readonly string[] | undefined
  /** As the request named them: `<vendor>/<model_name>`. */
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

/** The condition on rows of `request_logs`: of this account, and as the filter wants them. */
export function matchRequests(sql: Sql, accountId: string, filter: RequestFilter) {
  const { keyIds, models, statuses, since, until } = filter
  const anything = sql``
  return sql`account_id = ${accountId}
    ${keyIds ? sql`and api_key_id = any(${keyIds}::uuid[])` : anything}
    ${models ? sql`and model = any(${models}::text[])` : anything}
    ${statuses ? withinAny(sql, statuses) : anything}
    ${since ? sql`and created_at >= ${since}` : anything}
    ${until ? sql`and created_at < ${until}` : anything}`
}

function withinAny(sql: Sql, ranges: readonly StatusRange[]) {
  const lowest = ranges.map(range => range.lowest)
  const highest = ranges.map(range => range.highest)
  return sql`and exists (
    select from unnest(${lowest}::int[], ${highest}::int[]) as wanted (lowest, highest)
    where status between wanted.lowest and wanted.highest
  )`
}

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
