import { dayMs } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { firstDayKept } from './keep-partitions.ts'
import type { RequestFilter } from './request-filter.ts'
import type { MetadataPair } from './request-metadata.ts'

/** A span of time to search: from `since` (inclusive) to `until` (exclusive), in milliseconds since 1970. */
export interface SearchWindow {
  since: number
  until: number
}

/** Approximate number of requests that one statement reads. */
const requestsAtOnce = 25_000

/**
 * Returns spans of time, the latest first, that together contain all matching requests of an account. Each has at most
 * about 25,000 requests, so that a search through millions goes step by step. The usage counters show how many requests
 * a day has, and on which days none can match.
 */
export async function planWindows(
  sql: Sql,
  { accountId, filter, nowMs }: { accountId: string; filter: RequestFilter; nowMs: number },
): Promise<SearchWindow[]> {
  const { keyIds, models, endUsers, metadata, since, until } = filter
  const first = since?.getTime() ?? Number.NEGATIVE_INFINITY
  const last = until?.getTime() ?? Number.POSITIVE_INFINITY
  const days = await sql<Day[]>`
    select (extract(epoch from day) * 1000)::float8 as "startMs", sum(requests)::float8 as requests,
      ${models ? sql`bool_or(model = any(${models}::text[]))` : sql`true`}
        and ${endUsers ? mayOccur(sql, accountId, endUsers.map(endUserLabel)) : sql`true`}
        and ${metadata ? mayOccur(sql, accountId, metadata) : sql`true`} as "mayMatch"
    from current_usage_totals c
    where account_id = ${accountId} and day >= ${firstDayKept(nowMs)}::date
      ${since ? sql`and day >= (${since}::timestamptz at time zone 'UTC')::date` : sql``}
      ${until ? sql`and day <= (${until}::timestamptz at time zone 'UTC')::date` : sql``}
      ${keyIds ? sql`and api_key_id = any(${keyIds}::uuid[])` : sql``}
    group by day
    order by day desc`
  return windowsOf(days, requestsAtOnce)
    .map(window => ({ since: Math.max(window.since, first), until: Math.min(window.until, last) }))
    .filter(window => window.since < window.until)
}

/** Returns the label of `usage_values` that records an end user. */
function endUserLabel(endUser: string): MetadataPair {
  return { key: '', value: endUser }
}

/**
 * Returns the condition that one of these labels may occur on a day: its value is recorded, or the day has too many
 * values or keys.
 */
function mayOccur(sql: Sql, accountId: string, labels: readonly MetadataPair[]) {
  const keys = labels.map(({ key }) => key)
  const values = labels.map(({ value }) => value)
  return sql`(exists (
      select from unnest(${keys}::text[], ${values}::text[]) wanted (label, value)
      join usage_values v on v.account_id = ${accountId} and v.day = c.day and v.label = wanted.label
        and v.value = wanted.value)
    or exists (
      select from usage_labels l where l.account_id = ${accountId} and l.day = c.day
        and (l.value_count >= 1000 and l.label = any(${keys}::text[]) or l.number >= 100)))`
}

/** The ages of requests, counted from the start of a list, up to which a list is read with one statement, in milliseconds. */
const spansMs = [dayMs, 8 * dayMs]

/**
 * Returns spans of time that together contain a list, in its direction: the first day, the week after it, and the rest. Most
 * pages are full after the first one, for which Postgres plans and reads one or two partitions of the log instead of all.
 * `startMs` is where the list starts, by default now or, upwards, on the first day that is kept. The outer bounds are the
 * filter's; they are infinite if it has none.
 */
export function wideningWindows(
  { since, until }: Pick<RequestFilter, 'since' | 'until'>,
  { isDown, startMs, nowMs }: { isDown: boolean; startMs: number | undefined; nowMs: number },
): SearchWindow[] {
  const first = since?.getTime() ?? Number.NEGATIVE_INFINITY
  const last = until?.getTime() ?? Number.POSITIVE_INFINITY
  const start = startMs ?? (isDown ? Math.min(last, nowMs) : Math.max(first, Date.parse(firstDayKept(nowMs))))
  const inner = spansMs
    .map(span => Math.round(isDown ? start - span : start + span))
    .filter(edge => edge > first && edge < last)
  const edges = isDown ? [last, ...inner, first] : [first, ...inner, last]
  return edges.slice(1).map((edge, index) => {
    const previous = edges[index] ?? edge
    return isDown ? { since: edge, until: previous } : { since: previous, until: edge }
  })
}

/** A day on which an account had requests, and whether any of them can match. */
interface Day {
  startMs: number
  requests: number
  mayMatch: boolean
}

/**
 * Combines days, the latest first, while they have at most `atOnce` requests together, and splits larger days. Days on
 * which nothing can match are skipped if they would make a window too large.
 */
export function windowsOf(days: readonly Day[], atOnce: number): SearchWindow[] {
  const windows: SearchWindow[] = []
  let room = 0
  for (const { startMs, requests, mayMatch } of days) {
    const open = windows.at(-1)
    const fits = open !== undefined && requests <= room
    if (fits && mayMatch) open.since = startMs
    else if (mayMatch) windows.push(...partsOf(startMs, Math.ceil(requests / atOnce)))
    if (fits) room -= requests
    else room = mayMatch ? Math.max(0, atOnce - requests) : 0
  }
  return windows
}

function partsOf(startMs: number, count: number): SearchWindow[] {
  const edges = Array.from({ length: count + 1 }, (_, index) => Math.round(startMs + (dayMs * index) / count))
  return edges
    .slice(1)
    .map((until, index) => ({ since: edges[index] ?? startMs, until }))
    .reverse()
}
