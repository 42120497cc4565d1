import type { Sql } from '../../platform/postgres/open-postgres.ts'

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
