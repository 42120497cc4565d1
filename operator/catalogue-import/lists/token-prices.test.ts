import { expect, test } from 'vitest'
import { parseDecimalJson } from './parse-decimal-json.ts'
import { comparePrices, nanosPerMillion, printDollars, withMargin } from './token-prices.ts'

test('numbers of JSON stay decimal text', () => {
  expect(parseDecimalJson('{"a": 2.50, "b": [2.5e-06, -1], "c": "2.5", "d": true, "e": null}')).toEqual({
    a: '2.50',
    b: ['2.5e-06', '-1'],
    c: '2.5',
    d: true,
    e: null,
  })
})

test.each([
  ['2.50', 1_000_000, 2_500_000_000n],
  ['0.0028', 1_000_000, 2_800_000n],
  ['15', 1_000_000, 15_000_000_000n],
  ['2.5e-06', 1, 2_500_000_000n],
  ['1.25E-7', 1, 125_000_000n],
  ['0.0000006', 1, 600_000_000n],
  ['2.9999999999999997e-07', 1, 300_000_000n],
  ['0', 1, 0n],
] as const)('%s dollars for %i tokens is %i nano-dollars per million', (text, tokens, nanos) => {
  expect(nanosPerMillion(text, tokens)).toBe(nanos)
})

test.each([undefined, '-1', 'free', '', '1e999', '0x10'])('%s is no price', text => {
  expect(nanosPerMillion(text)).toBeUndefined()
})

test('a margin is exact, and rounded up', () => {
  expect(printDollars(withMargin(2_500_000_000n, '10'))).toBe('2.75')
  expect(printDollars(withMargin(2_800_000n, '2.5'))).toBe('0.00287')
  expect(withMargin(1n, '1')).toBe(2n)
  expect(withMargin(7n, '0')).toBe(7n)
})

test('prices are compared in every tier, and cached tokens only if both lists have them', () => {
  const base = { above: 0, input: 2n, output: 10n, cache_read: 1n }
  expect(comparePrices([base], [{ above: 0, input: 2n, output: 10n }])).toEqual([])
  expect(comparePrices([base], [{ ...base, output: 12n }])).toEqual([
    { of: 'output', above: 0, nanos: [10n, 12n] },
  ])
  const long = { above: 200_000, input: 4n, output: 10n }
  expect(comparePrices([base, long], [base])).toEqual([{ of: 'input', above: 200_000, nanos: [4n, 2n] }])
  expect(comparePrices([base, long], [base, long])).toEqual([])
})
