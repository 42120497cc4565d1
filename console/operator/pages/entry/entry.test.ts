import { expect, test } from 'vitest'
import { differencesOf, maxDifferences } from './differences.ts'
import { placeOf } from './places.ts'
import { printEntry, readEntry } from './read-entry.ts'

const entry = {
  id: 'chat.atlas',
  'odd "key"': { id: 1 },
  prices: {
    rates: [
      { of: 'input', price: '1 per 1M tokens' },
      { of: 'output', price: '{"[,:]}' },
    ],
  },
}

test('differences are named by path: changed, added and missing values, and items of lists', () => {
  const [input] = entry.prices.rates
  const after = {
    id: 'chat.atlas',
    active: true,
    prices: { rates: [{ ...input, price: '2 per 1M tokens' }] },
  }
  expect(differencesOf(entry, after)).toEqual([
    { path: 'odd "key"', before: { id: 1 }, after: undefined },
    { path: 'prices.rates[0].price', before: '1 per 1M tokens', after: '2 per 1M tokens' },
    { path: 'prices.rates[1]', before: entry.prices.rates[1], after: undefined },
    { path: 'active', before: undefined, after: true },
  ])
  expect(differencesOf(entry, structuredClone(entry))).toEqual([])
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field${index}`, index]))
  expect(differencesOf({}, many)).toHaveLength(maxDifferences)
})

test('the place of a path is its value in the text, or its nearest parent', () => {
  const text = printEntry(entry)
  const found = (path: string) => text.slice(placeOf(text, path).at).split('\n')[0]
  expect(found('prices.rates[1].price')).toBe('"{\\"[,:]}"')
  expect(found('prices.rates[0]')).toBe('{')
  expect(found('prices.rates[7].price')).toBe('[')
  expect(found('prices.periods')).toBe('{')
  expect(placeOf(text, 'id')).toEqual({ at: text.indexOf('"chat.atlas"'), line: 2 })
  expect(placeOf(text, '').at).toBe(0)
})

test('a text that is no JSON object has a fault at its place', () => {
  expect(readEntry('{\n  "a": 1\n}', 'no object')).toEqual({ value: { a: 1 } })
  expect(readEntry('[]', 'no object')).toEqual({ fault: 'no object', place: { at: 0, line: 1 } })
  expect(readEntry('{\n  "a": 1,\n}', 'no object')).toMatchObject({ place: { at: 12, line: 3 } })
  expect(readEntry('{\n  "a": x\n}', 'no object')).toMatchObject({ fault: expect.stringContaining('x') })
})
