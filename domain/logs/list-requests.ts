import { dayMs } from '../../platform/clock.ts'
import { type KeysetOrder, keyset, type Position, type Slice } from '../../platform/postgres/keyset.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'
import { isIndexed, matchRequests, type RequestFilter } from './request-filter.ts'
import { type RequestLog, type RequestLogRow, requestLogColumns, requestLogOf } from './request-log.ts'
import { planWindows, type SearchWindow, wideningWindows } from './search-windows.ts'

/** The orders of requests. Each ends with time and ID, so that no two requests are equal. */
export const requestOrders = {
  created_at: [],
  cost: [{ name: 'cost_nanos', type: 'bigint', direction: 'desc' }],
  duration: [{ name: 'duration_ms', type: 'bigint', direction: 'desc' }],
  status: [{ name: 'status', type: 'bigint', direction: 'desc' }],
  api_key: [{ name: 'api_key_id', type: 'uuid', direction: 'desc' }],
  model: [{ name: 'model_text', type: 'text', direction: 'desc' }],
  vendor: [{ name: 'vendor_text', type: 'text', direction: 'desc' }],
} as const satisfies Record<string, KeysetOrder>

export type RequestOrderField = keyof typeof requestOrders

const byTime = [
  { name: 'created_at', type: 'timestamptz', direction: 'desc' },
  { name: 'id', type: 'text', direction: 'desc' },
] as const satisfies KeysetOrder

/** Returns the columns of an order; newest first by default. */
export function requestOrder(
  field: RequestOrderField = 'created_at',
  direction: 'asc' | 'desc' = 'desc',
): KeysetOrder {
  return [...requestOrders[field], ...byTime].map(column => ({ ...column, direction }))
}

/** Returns the position of a request in an order. */
export function positionOfRequest(request: RequestLog, order: KeysetOrder): Position {
  const values = new Map<string, string>([
    ['created_at', String(request.createdMicros)],
    ['id', request.id],
    ['cost_nanos', String(request.costNanos)],
    ['duration_ms', String(request.durationMs)],
    ['status', String(request.status)],
    ['api_key_id', request.apiKeyId],
    ['model_text', (request.model ?? '').slice(0, orderedLength)],
    ['vendor_text', (request.vendor ?? '').slice(0, orderedLength)],
  ])
  return order.map(({ name }) => values.get(name) ?? '')
}

/** Number of characters of a text that determine its position. Cursors contain them. */
const orderedLength = 100

/** A page of the list. */
export interface FoundRequests {
  requests: RequestLog[]
  /** The position at which the search ended, if it found too few requests and did not reach the end of the log. */
  endedAt?: Position | undefined
}

/** Duration after which a search starts no further statement, in milliseconds. */
const searchBudgetMs = 100

/** Period that is searched if the order is not by time and the filter has no start, in milliseconds. */
const orderedSpanMs = dayMs

/**
 * Lists a slice of the requests of an account, in an order of `requestOrder`. The filter's time range and the slice's
 * positions prune the daily partitions of the log. In the order of time, the log is read step by step. If no index finds
 * the matching requests, this ends after 100 ms. Then the requests found so far are returned, with the position at which
 * the search ended. In other orders, all requests that pass the filter are compared. Unless the filter has a start, these
 * are the requests of the last 24 hours.
 */
export async function listRequests(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  args: { accountId: string; filter: RequestFilter; slice: Slice; order?: KeysetOrder },
): Promise<FoundRequests> {
  const { accountId, slice, order = requestOrder() } = args
  const isByTime = order[0]?.name === 'created_at'
  const nowMs = clock.now()
  const filter = isByTime ? args.filter : withinSpan(args.filter, nowMs)
  if (!isByTime) return { requests: await select(sql, { accountId, filter, slice, order }) }

  const isDown = (order[0]?.direction === 'desc') !== (slice.fromEnd ?? false)
  const isSearch = !isIndexed(filter)
  const windows = await windowsToRead(sql, { accountId, filter, slice, isDown, isSearch, nowMs })
  const startedAt = clock.monotonic()
  const requests: RequestLog[] = []
  for (const [index, { since, until }] of windows.entries()) {
    const limit = slice.limit - requests.length
    const found = await select(sql, {
      accountId,
      filter: { ...filter, since: dateOf(since), until: dateOf(until) },
      slice: { ...slice, limit },
      order,
    })
    requests.push(...found)
    const isLast = index === windows.length - 1
    if (isLast || found.length === limit) break
    if (isSearch && clock.monotonic() - startedAt > searchBudgetMs)
      return { requests, endedAt: [String((isDown ? since : until) * 1000), ''] }
  }
  return { requests }
}

/** Returns the windows of a list or search in its direction, from its start on. */
async function windowsToRead(
  sql: Sql,
  args: {
    accountId: string
    filter: RequestFilter
    slice: Slice
    isDown: boolean
    isSearch: boolean
    nowMs: number
  },
): Promise<SearchWindow[]> {
  const { filter, slice, isDown, nowMs } = args
  const start = slice.fromEnd ? slice.before : slice.after
  const startMs = start && Number(start[0]) / 1000
  if (!args.isSearch) return wideningWindows(filter, { isDown, startMs, nowMs })
  const left = (await planWindows(sql, args)).filter(
    ({ since, until }) => startMs === undefined || (isDown ? since <= startMs : until >= startMs),
  )
  return isDown ? left : left.reverse()
}

function dateOf(ms: number): Date | undefined {
  return Number.isFinite(ms) ? new Date(ms) : undefined
}

function withinSpan(filter: RequestFilter, nowMs: number): RequestFilter {
  return filter.since
    ? filter
    : { ...filter, since: new Date((filter.until?.getTime() ?? nowMs) - orderedSpanMs) }
}

/** Selects the shown columns for the rows of the page only, because up to 100,000 rows may be compared. */
async function select(
  sql: Sql,
  args: { accountId: string; filter: RequestFilter; slice: Slice; order: KeysetOrder },
): Promise<RequestLog[]> {
  const { where, end, inOrder } = keyset(sql, args.order, args.slice)
  const rows = await sql<RequestLogRow[]>`
    select ${requestLogColumns(sql)} from (
      select * from (
        select *, left(coalesce(model, ''), ${orderedLength}) as model_text,
          left(coalesce(vendor, ''), ${orderedLength}) as vendor_text
        from request_logs where ${matchRequests(sql, args.accountId, args.filter)}
      ) logged
      where true ${where} ${end}
    ) page
    ${inOrder}`
  return rows.map(requestLogOf)
}

/**
 * Counts the requests of an account in the log that match the filter, up to `max`. Takes longer if there are many
 * requests and few of them match.
 */
export async function countRequests(
  { sql }: Pick<Context, 'sql'>,
  { accountId, filter, max }: { accountId: string; filter: RequestFilter; max: number },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::float8 as total from (
      select from request_logs where ${matchRequests(sql, accountId, filter)} limit ${max}
    ) counted`
  return row?.total ?? 0
}
