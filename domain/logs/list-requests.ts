import type { Context } from '../context.ts'
import {
  type RequestLog,
  type RequestLogRow,
  type RequestPosition,
  requestLogColumns,
  requestLogOf,
} from './request-log.ts'

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

/**
 * Lists requests of an account, newest first: at most `limit` of them, those older than `after`. The time range and
 * the position prune the log's daily partitions.
 */
export async function listRequests(
  { sql }: Pick<Context, 'sql'>,
  args: {
    accountId: string
    filter?: RequestFilter
    limit: number
    after?: RequestPosition | undefined
  },
): Promise<RequestLog[]> {
  const { keyIds, models, statuses, since, until } = args.filter ?? {}
  const conditions = [
    sql`account_id = ${args.accountId}`,
    keyIds && sql`api_key_id = any(${keyIds}::uuid[])`,
    models && sql`model = any(${models}::text[])`,
    statuses &&
      sql`exists (
      select from unnest(${statuses.map(({ lowest }) => lowest)}::int[], ${statuses.map(({ highest }) => highest)}::int[])
        as wanted (lowest, highest)
      where status between lowest and highest)`,
    since && sql`created_at >= ${since}`,
    until && sql`created_at < ${until}`,
    args.after && sql`(created_at, id) < (${momentOf(sql, args.after)}, ${args.after.id})`,
    args.after && sql`created_at <= ${momentOf(sql, args.after)}`,
  ].filter(condition => condition !== undefined)
  const rows = await sql<RequestLogRow[]>`
    select ${requestLogColumns(sql)} from request_logs
    where ${conditions.flatMap((condition, index) => (index === 0 ? [condition] : [sql` and `, condition]))}
    order by created_at desc, id desc
    limit ${args.limit}`
  return rows.map(requestLogOf)
}

function momentOf(sql: Context['sql'], { createdMicros }: RequestPosition) {
  return sql`timestamptz 'epoch' + ${createdMicros} * interval '1 microsecond'`
}
