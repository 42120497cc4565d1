import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { matchRequests, type RequestFilter } from './request-filter.ts'

/** The lengths of the slots in which requests are counted, in seconds. Days are counted as usage (domain/usage). */
export const slotSeconds = { minute: 60, five_minutes: 300, hour: 3_600 } as const

export type SlotLength = keyof typeof slotSeconds

/** Maximum number of slots of a histogram. */
export const maxSlots = 200

/** Maximum number of requests that a histogram counts. It bounds the rows that Postgres reads, to some tenths of a second. */
const maxCounted = 100_000

/** The requests that arrived from `since` until before `until`. */
export interface Slot {
  since: Date
  until: Date
  requests: number
  /** Answered with an error; a request whose client disconnected (499) is not failed. */
  failedRequests: number
}

export interface Histogram {
  /** All slots of the period in the order of time, also those without requests. */
  slots: Slot[]
  /** The time from which requests are counted: the start of the period, or a later one if it has too many requests. */
  countedSince: Date
}

/** Returns the start of the slot of a time, in milliseconds since 1970. Slots begin at full minutes and hours of UTC. */
function startOfSlot(time: number, length: SlotLength): number {
  const lengthMs = slotSeconds[length] * 1000
  return Math.floor(time / lengthMs) * lengthMs
}

/** Returns how many slots a period has. */
export function countSlots({ since, until }: { since: Date; until: Date }, length: SlotLength): number {
  const end = Math.max(until.getTime(), since.getTime() + 1)
  return Math.ceil((end - startOfSlot(since.getTime(), length)) / (slotSeconds[length] * 1000))
}

/**
 * Counts the requests of an account that match a filter by time of arrival, with one statement. If the period has more than
 * 100,000 of them, the latest 100,000 are counted.
 */
export async function countByTime(
  sql: Sql,
  args: {
    accountId: string
    filter: RequestFilter & { since: Date; until: Date }
    length: SlotLength
  },
): Promise<Histogram> {
  const { accountId, filter, length } = args
  const seconds = slotSeconds[length]
  const rows = await sql<
    { at: number; requests: number; failedRequests: number; total: number; first: Date }[]
  >`
    select floor(extract(epoch from created_at) / ${seconds}::int)::float8 * ${seconds}::int as at,
      count(*)::float8 as requests,
      count(*) filter (where status >= 400 and status <> 499)::float8 as "failedRequests",
      (sum(count(*)) over ())::float8 as total, min(min(created_at)) over () as first
    from (
      select created_at, status from request_logs where ${matchRequests(sql, accountId, filter)}
      order by created_at desc limit ${maxCounted}
    ) newest
    group by 1`
  const counts = new Map(rows.map(({ at, ...row }) => [at * 1000, row]))
  const start = startOfSlot(filter.since.getTime(), length)
  const [any] = rows
  return {
    slots: Array.from({ length: countSlots(filter, length) }, (_, index) => {
      const since = start + index * seconds * 1000
      const { requests = 0, failedRequests = 0 } = counts.get(since) ?? {}
      return { since: new Date(since), until: new Date(since + seconds * 1000), requests, failedRequests }
    }),
    countedSince: any && any.total >= maxCounted ? any.first : filter.since,
  }
}
