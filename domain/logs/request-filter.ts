import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { MetadataPair } from './request-metadata.ts'

/** A filter of requests. A request must match every field, and any one of a field's values. */
export interface RequestFilter {
  keyIds?: readonly string[] | undefined
  /** The models as named in the requests: `<vendor>/<model_name>`. */
  models?: readonly string[] | undefined
  statuses?: readonly StatusRange[] | undefined
  /** Labels of the vendors that answered. */
  vendors?: readonly string[] | undefined
  /** The end users as named in the requests. */
  endUsers?: readonly string[] | undefined
  /** Pairs of the client's metadata. */
  metadata?: readonly MetadataPair[] | undefined
  minCostNanos?: bigint | undefined
  maxCostNanos?: bigint | undefined
  /** The earliest arrival, inclusive. */
  since?: Date | undefined
  /** The latest arrival, exclusive. */
  until?: Date | undefined
}

/** Parses an HTTP status such as `402`, or a class such as `4xx`. */
export const statusShape = /^([1-5])(xx|\d\d)$/

/** A range of HTTP statuses, inclusive. */
export interface StatusRange {
  lowest: number
  highest: number
}

/** Returns the condition on rows of `request_logs` of this account that match the filter. */
export function matchRequests(sql: Sql, accountId: string, filter: RequestFilter) {
  const { keyIds, models, statuses, vendors, endUsers, metadata, minCostNanos, maxCostNanos } = filter
  const { since, until } = filter
  const always = sql``
  return sql`account_id = ${accountId}
    ${keyIds ? sql`and api_key_id = any(${keyIds}::uuid[])` : always}
    ${models ? sql`and model = any(${models}::text[])` : always}
    ${statuses ? withinAny(sql, statuses) : always}
    ${vendors ? sql`and vendor = any(${vendors}::text[])` : always}
    ${endUsers ? sql`and end_user = any(${endUsers}::text[])` : always}
    ${metadata ? hasPair(sql, metadata) : always}
    ${minCostNanos === undefined ? always : sql`and cost_nanos >= ${minCostNanos}`}
    ${maxCostNanos === undefined ? always : sql`and cost_nanos <= ${maxCostNanos}`}
    ${since ? sql`and created_at >= ${since}` : always}
    ${until ? sql`and created_at < ${until}` : always}`
}

/** The condition that the metadata has any of the pairs. */
function hasPair(sql: Sql, pairs: readonly MetadataPair[]) {
  return sql`and metadata is not null and metadata::jsonb @> any(${pairs.map(pair => JSON.stringify([pair]))}::text[]::jsonb[])`
}

/**
 * The condition on statuses. For failures it repeats the condition of the index of failed requests, so that Postgres
 * uses the index.
 */
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

/** Whether an index finds the matching requests in the order of time, even if only a few match. */
export function isIndexed({ keyIds, statuses, ...filter }: RequestFilter): boolean {
  const { models, vendors, endUsers, metadata, minCostNanos, maxCostNanos } = filter
  if (models || vendors || endUsers || metadata || minCostNanos !== undefined || maxCostNanos !== undefined)
    return false
  if (statuses) return keyIds === undefined && areFailures(statuses)
  return keyIds === undefined || keyIds.length === 1
}
