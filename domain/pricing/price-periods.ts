import { type Clock, dayMs } from '../../platform/clock.ts'
import type { Validity } from '../../schema/catalog/prices.ts'
import { Problem } from '../../schema/errors.ts'

/** The rates of a model that apply in one period. */
export interface PricePeriod<Rate> extends Validity {
  rates: Rate[]
}

/** Returns the periods of prices: a single one without bounds if the rates do not depend on the time. */
export function periodsOf<Rate>({
  rates,
  periods,
}: {
  rates: Rate[]
  periods?: PricePeriod<Rate>[] | undefined
}): readonly PricePeriod<Rate>[] {
  return periods ?? [{ rates }]
}

/**
 * Compiles each period once. Returns a function that selects the period of the current time by the wall clock; with a
 * single period, it does not read the clock. The function throws `internal` if no period applies,
 * which the checks of the catalogue exclude.
 */
export function compilePeriods<Period extends Validity, Compiled>(
  periods: readonly Period[],
  compile: (period: Period) => Compiled,
): AtPresent<Compiled> {
  const compiled = periods.map(compile)
  const [only] = compiled
  if (compiled.length === 1 && only !== undefined) return () => only
  const find = openCalendar(periods)
  let current: Compiled | undefined
  let [beginMs, endMs] = [0, 0]
  return clock => {
    const nowMs = clock.now()
    if (current !== undefined && nowMs >= beginMs && nowMs < endMs) return current
    const found = find(nowMs)
    current = compiled[found.index]
    if (current === undefined) throw new Problem('internal', { internal: 'no period of a price applies' })
    beginMs = found.beginMs
    endMs = found.endMs
    return current
  }
}

/** Returns what applies now. */
export type AtPresent<Compiled> = (clock: Pick<Clock, 'now'>) => Compiled

/** The period that applies at a time, and a span around the time in which it applies, in milliseconds since 1970. */
interface FoundPeriod {
  /** The position of the period in the list; -1 if none applies. */
  index: number
  beginMs: number
  endMs: number
}

/** Parses periods once. Returns the function that finds the period of a time. */
function openCalendar(periods: readonly Validity[]): (nowMs: number) => FoundPeriod {
  const parsed = periods.map(parseValidity)
  const edges = minutesOfChange(parsed)
  return nowMs => {
    const day = Math.floor(nowMs / dayMs)
    const minute = (nowMs - day * dayMs) / minuteMs
    const next = edges.findIndex(edge => edge > minute)
    const [begin = 0, end = minutesOfDay] = [edges[next - 1], edges[next]]
    return {
      index: parsed.findIndex(period => applies(period, { day, minute: begin })),
      beginMs: day * dayMs + begin * minuteMs,
      endMs: day * dayMs + end * minuteMs,
    }
  }
}

const minuteMs = 60_000
const minutesOfDay = 1_440

/** A parsed validity: days since 1970 and minutes of the day, each range without its end. */
export interface ParsedValidity {
  fromDay: number
  untilDay: number
  /** Ranges that do not cross midnight. */
  minutes: readonly (readonly [begin: number, end: number])[]
}

/** Parses a validity. A day that does not exist becomes NaN. */
export function parseValidity({ from, until, hours }: Validity): ParsedValidity {
  return {
    fromDay: from === undefined ? Number.NEGATIVE_INFINITY : dayOf(from),
    untilDay: until === undefined ? Number.POSITIVE_INFINITY : dayOf(until),
    minutes: hours === undefined ? [[0, minutesOfDay]] : hours.flatMap(parseHours),
  }
}

/** Returns the days since 1970 of `2027-01-01`; NaN for a day that does not exist, such as 2027-02-29. */
export function dayOf(text: string): number {
  const ms = Date.parse(`${text}T00:00:00Z`)
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text ? Number.NaN : ms / dayMs
}

function parseHours(text: string): [begin: number, end: number][] {
  const [begin = 0, end = 0] = text.split('-').map(minuteOf)
  if (begin < end) return [[begin, end]]
  return begin === end
    ? []
    : [
        [begin, minutesOfDay],
        [0, end],
      ]
}

function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

/** Returns the minutes of the day at which another period can begin, in ascending order, from 0 to 1,440. */
export function minutesOfChange(periods: readonly ParsedValidity[]): number[] {
  const edges = periods.flatMap(({ minutes }) => minutes.flat())
  return [...new Set([0, minutesOfDay, ...edges])].sort((a, b) => a - b)
}

/** Whether a period applies at a minute of a day. */
export function applies(
  { fromDay, untilDay, minutes }: ParsedValidity,
  { day, minute }: { day: number; minute: number },
): boolean {
  if (day < fromDay || day >= untilDay) return false
  return minutes.some(([begin, end]) => minute >= begin && minute < end)
}

/** Prints a period: `prices until 2027-01-01, 01:00-04:00 UTC`. Returns undefined for one without bounds. */
export function printPeriod({ from, until, hours }: Validity): string | undefined {
  const days = [from && `from ${from}`, until && `until ${until}`].filter(Boolean).join(' ')
  const parts = [days, hours && `${hours.join(' and ')} UTC`].filter(Boolean)
  return parts.length > 0 ? `prices ${parts.join(', ')}` : undefined
}
