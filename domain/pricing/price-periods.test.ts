import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayMs } from '../../platform/clock.ts'
import type { TokenRate, Validity } from '../../schema/catalog/prices.ts'
import { checkPeriods } from '../models/checks/check-periods.ts'
import { compileChatPrice } from './compile-chat-price.ts'
import { compilePeriods, printPeriod } from './price-periods.ts'

const at = (time: string) => Date.parse(`${time}Z`)

/** Finds the position of the period that applies at a time. */
function findAt(periods: readonly Validity[], nowMs: number): number {
  const positions = new Map(periods.map((period, index) => [period, index]))
  return compilePeriods(periods, period => positions.get(period) ?? -1)({ now: () => nowMs })
}

const peak: Validity = { hours: ['01:00-04:00', '06:00-10:00'] }
const rest: Validity = { hours: ['10:00-01:00', '04:00-06:00'] }

test.each([
  ['2026-11-26T00:59:59.999', 1],
  ['2026-11-26T01:00', 0],
  ['2026-11-26T03:59:59.999', 0],
  ['2026-11-26T04:00', 1],
  ['2026-11-26T06:00', 0],
  ['2026-11-26T10:00', 1],
  ['2026-11-26T23:59:59.999', 1],
  ['2026-11-27T00:00', 1],
])('at %s period %i of the hours applies', (time, expected) => {
  expect(findAt([peak, rest], at(time))).toBe(expected)
})

test('a date begins at midnight UTC', () => {
  const periods = [{ until: '2027-01-01' }, { from: '2027-01-01' }]
  expect(findAt(periods, at('2026-12-31T23:59:59.999'))).toBe(0)
  expect(findAt(periods, at('2027-01-01T00:00'))).toBe(1)
})

test('each period is compiled once, and the clock changes between them, forward and back', () => {
  let nowMs = at('2026-11-26T00:30')
  let compilations = 0
  const compiled = compilePeriods([peak, rest], period => {
    compilations++
    return { period }
  })
  const current = () => compiled({ now: () => nowMs })
  const first = current()
  nowMs = at('2026-11-26T01:30')
  const second = current()
  nowMs = at('2026-11-26T00:45')
  expect(current()).toBe(first)
  expect([first.period, second.period]).toEqual([rest, peak])
  expect(compilations).toBe(2)
})

test('prices without periods do not read the clock', () => {
  const clock = {
    now: () => {
      throw new Error('read')
    },
  }
  expect(compilePeriods([{}], () => 'always')(clock)).toBe('always')
})

test('a period is named in the explanation of a price', () => {
  expect(printPeriod({})).toBeUndefined()
  expect(printPeriod({ from: '2026-10-01', until: '2027-01-01' })).toBe(
    'prices from 2026-10-01 until 2027-01-01',
  )
  expect(printPeriod({ from: '2027-01-01', ...peak })).toBe(
    'prices from 2027-01-01, 01:00-04:00 and 06:00-10:00 UTC',
  )
  const rates = [
    { of: 'input' as const, price: '2 per 1M tokens' },
    { of: 'output' as const, price: '0 per 1M tokens' },
  ]
  const price = compileChatPrice({ rates: [], surcharges: [] }, { from: '2027-01-01', rates })
  const used = { promptTokens: 10, cachedTokens: 0, cacheCreationTokens: 0, completionTokens: 0 }
  expect(price.explain(used)).toMatchObject({
    amountNanos: 20_000n,
    terms: [{ label: 'prices from 2027-01-01', unit: 'period', amountAttos: 0n }, { label: 'input' }],
  })
})

test('periods without a fault apply one at a time, at every instant and on both sides of every change', () => {
  fc.assert(
    fc.property(cover, instant, (periods, nowMs) => {
      expect(faultsOf(periods)).toEqual([])
      for (const ms of [nowMs, ...changesOf(periods, nowMs)].flatMap(change => [change - 1, change])) {
        const applying = periods.flatMap((period, index) => (isWithin(period, ms) ? [index] : []))
        expect(applying).toEqual([findAt(periods, ms)])
      }
    }),
  )
})

test('any periods have a fault exactly if two or none apply at some instant', () => {
  fc.assert(
    fc.property(fc.array(anyPeriod, { minLength: 1, maxLength: 4 }), periods => {
      const days = ['1970-01-01', ...periods.flatMap(({ from, until }) => [from, until])].filter(isText)
      const instants = days.flatMap(date => changesOf(periods, at(`${date}T00:00`)))
      const counts = instants.map(ms => periods.filter(period => isWithin(period, ms)).length)
      const isSound =
        counts.every(applying => applying === 1) && periods.every(({ hours }) => !hours?.some(isEmptyRange))
      expect(faultsOf(periods).length === 0).toBe(isSound)
    }),
    { numRuns: 500 },
  )
})

test('the hold of an admission covers the charge at its prices, however much later it is settled', () => {
  fc.assert(
    fc.property(
      cover,
      instant,
      instant,
      fc.func(fc.nat(100)),
      count,
      count,
      (periods, admitted, later, dollars, used, more) => {
        const priced = periods.map(period => ({ ...period, rates: ratesOf(dollars(period)) }))
        const clock = { nowMs: admitted, now: () => clock.nowMs }
        const atPresent = compilePeriods(priced, period =>
          compileChatPrice({ rates: [], surcharges: [] }, period),
        )
        const price = atPresent(clock)
        const heldNanos = price.estimate({ promptTokens: used + more, outputTokens: used + more })
        clock.nowMs = Math.max(admitted, later)
        atPresent(clock)
        const usage = { promptTokens: used, cachedTokens: 0, cacheCreationTokens: 0, completionTokens: used }
        const expected = BigInt(2 * used * dollars(periods[findAt(periods, admitted)]!)) * 1_000n
        expect(price.price(usage)).toBe(expected)
        expect(heldNanos).toBeGreaterThanOrEqual(expected)
      },
    ),
  )
})

function ratesOf(dollars: number): TokenRate[] {
  return (['input', 'output'] as const).map(of => ({ of, price: `${dollars} per 1M tokens` }))
}

function faultsOf(periods: readonly Validity[]): string[] {
  const faults: string[] = []
  checkPeriods(periods, (_, message) => void faults.push(message))
  return faults
}

/** Decides by comparing text, unlike the code under test. */
function isWithin({ from, until, hours }: Validity, ms: number): boolean {
  const [day = '', time = ''] = new Date(ms).toISOString().slice(0, 16).split('T')
  if ((from !== undefined && day < from) || (until !== undefined && day >= until)) return false
  return (hours ?? ['00:00-24:00']).some(range => {
    const [begin = '', end = ''] = range.split('-')
    return begin < end ? time >= begin && time < end : begin > end && (time >= begin || time < end)
  })
}

/** Returns the instants of a day at which a period can begin. */
function changesOf(periods: readonly Validity[], ms: number): number[] {
  const midnight = Math.floor(ms / dayMs) * dayMs
  const times = periods.flatMap(({ hours = [] }) => hours.flatMap(range => range.split('-')))
  return [midnight, ...times.map(time => midnight + timeMs(time))]
}

function timeMs(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return (hours * 60 + minutes) * 60_000
}

function isEmptyRange(range: string): boolean {
  const [begin, end] = range.split('-')
  return begin === end
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

const day = fc.integer({ min: 0, max: 40_000 }).map(days => new Date(days * dayMs).toISOString().slice(0, 10))
const minute = fc.integer({ min: 0, max: 1_439 })
const instant = fc.integer({ min: 0, max: 40_000 * dayMs })
const printMinute = (value: number) =>
  [Math.floor(value / 60), value % 60].map(part => String(part).padStart(2, '0')).join(':')

const count = fc.nat(100_000)

const anyPeriod: fc.Arbitrary<Validity> = fc
  .record(
    {
      from: fc.constantFrom('2026-01-01', '2027-01-01'),
      until: fc.constantFrom('2026-01-01', '2027-01-01', '2028-01-01'),
      hours: fc.array(
        fc.constantFrom('00:00-08:00', '08:00-24:00', '08:00-00:00', '20:00-08:00', '03:00-03:00'),
        {
          minLength: 1,
          maxLength: 2,
        },
      ),
    },
    { requiredKeys: [] },
  )
  .filter(({ from, until }) => from === undefined || until === undefined || from < until)

/** Periods that cover all time: the calendar cut at days, and each part whole or cut at minutes of the day. */
const cover: fc.Arbitrary<Validity[]> = fc
  .tuple(
    fc.uniqueArray(day, { maxLength: 3 }),
    fc.array(fc.uniqueArray(minute, { maxLength: 4 }), { minLength: 4, maxLength: 4 }),
  )
  .map(([days, cuts]) => {
    const edges = [undefined, ...days.sort(), undefined]
    return edges.slice(0, -1).flatMap((from, index): Validity[] => {
      const until = edges[index + 1]
      const dates = { ...(from && { from }), ...(until && { until }) }
      const times = (cuts[index] ?? []).sort((a, b) => a - b).map(printMinute)
      if (times.length < 2) return [dates]
      return times.map((begin, place) => ({
        ...dates,
        hours: [`${begin}-${times[place + 1] ?? times[0]}`],
      }))
    })
  })
