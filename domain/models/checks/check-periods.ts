import { dayMs } from '../../../platform/clock.ts'
import type { Validity } from '../../../schema/catalog/prices.ts'
import type { ValuePath } from '../../../schema/value-path.ts'
import { applies, minutesOfChange, type ParsedValidity, parseValidity } from '../../pricing/price-periods.ts'
import type { Report } from './report.ts'

/**
 * Checks that exactly one period of prices applies at any time. Returns false after a fault of a single period, which
 * would only cause more faults.
 */
export function checkPeriods(periods: readonly Validity[], report: Report): boolean {
  const parsed = periods.map(parseValidity)
  let areSound = true
  periods.forEach(({ hours = [] }, index) => {
    const fault = (key: string, message: string) => {
      areSound = false
      report(['prices', 'periods', index, key], message)
    }
    const { fromDay, untilDay } = parsed[index]!
    if (Number.isNaN(fromDay)) fault('from', 'is not a day of the calendar')
    if (Number.isNaN(untilDay)) fault('until', 'is not a day of the calendar')
    if (fromDay >= untilDay) fault('until', 'must be later than from')
    for (const text of hours.filter(isEmpty)) fault('hours', `${text} is empty`)
  })
  if (areSound) checkCover(parsed, report)
  return areSound
}

function isEmpty(text: string): boolean {
  const [begin, end] = text.split('-')
  return begin === end
}

/** Reports the first gap, and the first time at which each period overlaps an earlier one. */
function checkCover(periods: readonly ParsedValidity[], report: Report): void {
  const minutes = minutesOfChange(periods)
  const overlapping = new Set<number>()
  let hasGap = false
  for (const day of firstDays(periods)) {
    for (const [position, minute] of minutes.slice(0, -1).entries()) {
      const span = printSpan(day, minute, minutes[position + 1] ?? 0)
      const found = periods.flatMap((period, index) => (applies(period, { day, minute }) ? [index] : []))
      const [first, second] = found
      if (first === undefined && !hasGap) {
        hasGap = true
        report(['prices', 'periods'], `no period applies ${span}`)
      }
      if (second === undefined || overlapping.has(second)) continue
      overlapping.add(second)
      report(['prices', 'periods', second], `applies together with periods[${first}] ${span}`)
    }
  }
}

/** Returns a day of each part of the calendar in which the same periods apply: one before all of them, then the first. */
function firstDays(periods: readonly ParsedValidity[]): number[] {
  const changes = periods.flatMap(({ fromDay, untilDay }) => [fromDay, untilDay]).filter(Number.isFinite)
  return [Number.NEGATIVE_INFINITY, ...new Set(changes.sort((a, b) => a - b))]
}

function printSpan(day: number, begin: number, end: number): string {
  const hours = `${printTime(begin)}-${printTime(end)} UTC`
  return Number.isFinite(day)
    ? `from ${new Date(day * dayMs).toISOString().slice(0, 10)}, ${hours}`
    : `at first, ${hours}`
}

function printTime(minute: number): string {
  const [hours, minutes] = [Math.floor(minute / 60), minute % 60]
  return [hours, minutes].map(part => String(part).padStart(2, '0')).join(':')
}

/** Returns each list of rates with the path to it. */
export function ratesByPath<Rate>({
  rates,
  periods,
}: {
  rates: Rate[]
  periods?: { rates: Rate[] }[] | undefined
}): [path: ValuePath, rates: Rate[]][] {
  if (!periods) return [[['prices', 'rates'], rates]]
  return periods.map((period, index) => [['prices', 'periods', index, 'rates'], period.rates])
}
