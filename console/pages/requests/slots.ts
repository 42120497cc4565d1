import type { RequestsData } from './documents.ts'
import type { RequestsSearch } from './search.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
/** Number of days that the log covers: two months. */
const keptDays = 62

/** The period of the list, and the bars that it is divided into. */
export interface Period {
  since: Date
  until: Date
  /** Whether a bar is a UTC day. Otherwise it has `slotMs`. */
  isByDay: boolean
  slotMs: number
}

/** Returns the period of the address, up to now: days, the hours of a day, or five minutes of an hour. */
export function periodOf({ hours }: RequestsSearch, nowMs: number): Period {
  const until = new Date(nowMs)
  const lengthMs = hours === undefined ? keptDays * dayMs : Number(hours) * hourMs
  const slotMs = lengthMs > dayMs ? dayMs : lengthMs > hourMs ? hourMs : hourMs / 12
  return { since: new Date(nowMs - lengthMs), until, isByDay: slotMs === dayMs, slotMs }
}

/** A bar: the requests of a day or of a shorter slot. `start` is the value of the parameter `slot` in the address. */
export interface Slot {
  start: string
  requests: number
  failed: number
}

/** Returns the bars of a period. Days without requests have zeros. */
export function slotsOf({ days, histogram }: RequestsData, period: Period): Slot[] {
  if (!period.isByDay)
    return (histogram?.slots ?? []).map(({ since, requests, failedRequests }) => ({
      start: since,
      requests,
      failed: failedRequests,
    }))
  const byDay = new Map((days?.nodes ?? []).map(day => [day.day, day]))
  const [first, last] = [period.since, period.until].map(time => Math.floor(time.getTime() / dayMs))
  return Array.from({ length: (last ?? 0) - (first ?? 0) + 1 }, (_, index) => {
    const start = dayOf(((first ?? 0) + index) * dayMs)
    const { requests = 0, failedRequests = 0 } = byDay.get(start) ?? {}
    return { start, requests, failed: failedRequests }
  })
}

/** Returns the start of the bar that counts a request: the value of the parameter `slot` in the address. */
export function slotOfTime(time: string, { isByDay, slotMs }: Period): string {
  const startMs = Math.floor(Date.parse(time) / slotMs) * slotMs
  return isByDay ? dayOf(startMs) : new Date(startMs).toISOString()
}

/** Returns the times between which the list shows requests: of the chosen bar, or of the whole period. */
export function shownTimes(
  { hours, slot }: RequestsSearch,
  period: Period,
): { since: string | null; until: string | null } {
  if (slot !== undefined) {
    const startMs = Date.parse(slot)
    return { since: new Date(startMs).toISOString(), until: new Date(startMs + period.slotMs).toISOString() }
  }
  return { since: hours === undefined ? null : period.since.toISOString(), until: null }
}

function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10)
}
