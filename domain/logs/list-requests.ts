import type { Context } from '../context.ts'
import { type RequestLog, requestLogColumns } from './request-log.ts'

/** What the listed requests have in common. Several values of one filter mean any of them. */
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

/** A request's place in the list. */
export type Place = Pick<RequestLog, 'createdAt' | 'id'>

/**
 * Lists requests of an account, newest first: at most `limit` of them, those that stand after `after` in the list.
 * The time range and that place prune the log's daily partitions.
 */
export async function listRequests(
  { sql }: Pick<Context, 'sql'>,
  args: { accountId: string; filter?: RequestFilter; limit: number; after?: Place | undefined },
): Promise<RequestLog[]> {
  const { keyIds, models, statuses, since, until } = args.filter ?? {}
  const anything = sql``
  return sql<RequestLog[]>`
    select ${requestLogColumns(sql)} from request_logs
    where account_id = ${args.accountId}
      ${keyIds ? sql`and api_key_id = any(${keyIds}::uuid[])` : anything}
      ${models ? sql`and model = any(${models}::text[])` : anything}
      ${statuses ? withinAny(sql, statuses) : anything}
      ${since ? sql`and created_at >= ${since}` : anything}
      ${until ? sql`and created_at < ${until}` : anything}
      ${args.after ? beyond(sql, args.after) : anything}
    order by created_at desc, id desc
    limit ${args.limit}`
}

function withinAny(sql: Context['sql'], ranges: readonly StatusRange[]) {
  const lowest = ranges.map(range => range.lowest)
  const highest = ranges.map(range => range.highest)
  return sql`and exists (
    select from unnest(${lowest}::int[], ${highest}::int[]) as wanted (lowest, highest)
    where status between wanted.lowest and wanted.highest
  )`
}

/** The comparison of pairs is exact; the plain one says the same of the time alone, and prunes. */
function beyond(sql: Context['sql'], { createdAt, id }: Place) {
  return sql`and created_at <= ${createdAt} and (created_at, id) < (${createdAt}, ${id})`
}
