import { expect, test } from 'vitest'
import { faultsAfter } from '../../../test/models/an-edited-catalogue.ts'

const file = 'models/chat-others.yaml'
const rates = 'rates: [{ of: input, price: 1 per 1M tokens }, { of: output, price: 2 per 1M tokens }]'
const atAllTimes = `    rates:
      - { of: input, price: 0.59 per 1M tokens }
      - { of: output, price: 0.79 per 1M tokens }
`

/** Returns the faults of the catalogue if the prices of its first model are replaced, each with its place. */
const faultsOf = (prices: string) => faultsAfter({ [file]: [atAllTimes, prices] })

const after = (...periods: string[]) =>
  faultsOf(`    periods:\n${periods.map(period => `      - { ${period}, ${rates} }\n`).join('')}`)

test('periods that apply one at a time have no fault', async () => {
  expect(await after('until: 2027-01-01', 'from: 2027-01-01')).toEqual([])
  const [night, day] = ['22:00-06:00', '06:00-22:00'].map(hours => `from: 2027-01-01, hours: ["${hours}"]`)
  expect(await after('until: 2027-01-01', night!, day!)).toEqual([])
})

test('overlapping periods are a fault at the line of the later one', async () => {
  expect(await after('until: 2027-01-01', 'from: 2026-12-31')).toEqual([
    `${file}:19: prices.periods[1]: applies together with periods[0] from 2026-12-31, 00:00-24:00 UTC`,
  ])
  expect(await after('hours: ["22:00-06:00"]', 'hours: ["05:30-22:00"]')).toEqual([
    `${file}:19: prices.periods[1]: applies together with periods[0] at first, 05:30-06:00 UTC`,
  ])
})

test('a gap between periods is a fault', async () => {
  for (const [periods, where] of [
    [['until: 2027-01-01', 'from: 2027-01-02'], 'from 2027-01-01, 00:00-24:00 UTC'],
    [['from: 2027-01-01'], 'at first, 00:00-24:00 UTC'],
    [['hours: ["22:00-06:00"]', 'hours: ["07:00-22:00"]'], 'at first, 06:00-07:00 UTC'],
  ] as const)
    expect(await after(...periods)).toEqual([`${file}:18: prices.periods: no period applies ${where}`])
})

test('times that do not exist are faults', async () => {
  expect(await after('hours: ["00:00-24:00", "05:00-05:00"]')).toEqual([
    `${file}:18: prices.periods[0].hours: 05:00-05:00 is empty`,
  ])
  expect(await after('hours: ["00:00-25:00"]')).toEqual([
    expect.stringContaining('prices.periods[0].hours[0]: must match pattern'),
  ])
  expect(await after('until: 2027-02-29', 'from: 2027-01-01')).toEqual([
    `${file}:18: prices.periods[0].until: is not a day of the calendar`,
  ])
  expect(await after('from: 2027-01-02, until: 2027-01-01')).toEqual([
    `${file}:18: prices.periods[0].until: must be later than from`,
  ])
})

test('prices have rates or periods, and the rates of periods are checked like others', async () => {
  expect(await faultsOf(`${atAllTimes}    periods: [{ ${rates} }]\n`)).toEqual([
    `${file}:20: prices.periods: is instead of rates, not beside them`,
  ])
  const cheaper = rates.replace('2 per', '1 per').replace('of: output', 'of: cache_read')
  expect(await faultsOf(`    periods: [{ ${cheaper} }]\n`)).toEqual([
    `${file}:17: prices.periods[0].rates: output tokens have no price`,
  ])
})
