import type { Sql } from '../../platform/postgres/open-postgres.ts'

/** Which requests are wanted. Several values of one filter mean any of them; filters combine. */
export interface RequestFilter {
  keyIds?: readonly string[] | undefined
  /** As the requests named them: `<vendor>/<model_name>`. */
  models?: readonly string[] | undefined
  statuses?: readonly StatusRange[] | undefined
  /** Labels of the vendors that answered. */
  vendors?: readonly string[] | undefined
  /** As the requests named them. */
  endUsers?: readonly string[] | undefined
  minCostNanos?: bigint | undefined
  maxCostNanos?: bigint | undefined
  /** Arrived at or after. */
  since?: Date | undefined
  /** Arrived before. */
  until?: Date | undefined
}

/** An HTTP status such as `402`, or a class of them such as `4xx`. */
export const statusShape = /^([1-5])(xx|\d\d)$/

/** HTTP statuses from the lowest to the highest, both included. */
export interface StatusRange {
  lowest: number
  highest: number
}

/** The condition on rows of `request_logs`: of this account, and matching the filter. */
export function matchRequests(sql: Sql, accountId: string, filter: RequestFilter) {
  const { keyIds, models, statuses, vendors, endUsers, minCostNanos, maxCostNanos, since, until } = filter
  const always = sql``
  return sql`account_id = ${accountId}
    ${keyIds ? sql`and api_key_id = any(${keyIds}::uuid[])` : always}
    ${models ? sql`and model = any(${models}::text[])` : always}
    ${statuses ? withinAny(sql, statuses) : always}
    ${vendors ? sql`and vendor = any(${vendors}::text[])` : always}
    ${endUsers ? sql`and end_user = any(${endUsers}::text[])` : always}
    ${minCostNanos === undefined ? always : sql`and cost_nanos >= ${minCostNanos}`}
    ${maxCostNanos === undefined ? always : sql`and cost_nanos <= ${maxCostNanos}`}
    ${since ? sql`and created_at >= ${since}` : always}
    ${until ? sql`and created_at < ${until}` : always}`
}

/** Statuses of failures say so plainly, since the index of failed requests is found by that. */
function withinAny(sql: Sql, ranges: readonly StatusRange[]) {
  const lowest = ranges.map(range => range.lowest)
  const highest = ranges.map(range => range.highest)
  return sql`${areFailures(ranges) ? sql`and status >= 400` : sql``} and exists (
    select from unnest(${lowest}::int[], ${highest}::int[]) as wanted (lowest, highest)
    where status between wanted.lowest and wanted.highest
  )`
}

function areFailures(ranges: readonly StatusRange[]): boolean {
  return ranges.every(({ lowest }) => lowest >= 400)
}

/** Whether an index leads to the matching requests in the order of their time, however few they are. */
export function isIndexed({ keyIds, statuses, ...filter }: RequestFilter): boolean {
  const { models, vendors, endUsers, minCostNanos, maxCostNanos } = filter
  if (models || vendors || endUsers || minCostNanos !== undefined || maxCostNanos !== undefined) return false
  if (statuses) return keyIds === undefined && areFailures(statuses)
  return keyIds === undefined || keyIds.length === 1
}
