import { expect, test } from 'vitest'
import { metadataOf, readPair } from './request-metadata.ts'

const pairsOf = (given: unknown) => JSON.parse(metadataOf(given) ?? 'null')

test('pairs of texts are kept in their order, whatever their names are', () => {
  const given = JSON.parse('{"team": "red", "__proto__": "x", "constructor": ""}')
  expect(pairsOf(given)).toEqual([
    { key: 'team', value: 'red' },
    { key: '__proto__', value: 'x' },
    { key: 'constructor', value: '' },
  ])
})

test('what is no pair of texts, or too long, is left out', () => {
  const given = {
    a: 1,
    b: null,
    c: { d: 'e' },
    '': 'x',
    ['k'.repeat(65)]: 'x',
    f: 'v'.repeat(513),
    g: 'kept',
  }
  expect(pairsOf(given)).toEqual([{ key: 'g', value: 'kept' }])
  for (const other of [undefined, null, 'text', ['a'], {}, { a: 1 }]) expect(metadataOf(other)).toBeNull()
})

test('at most 16 pairs are kept', () => {
  const given = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, 'v']))
  expect(pairsOf(given)).toHaveLength(16)
})

test('NUL and halves of characters are removed, which Postgres could not read as JSON', () => {
  expect(pairsOf({ 'a\0b': 'x\0\ud800y' })).toEqual([{ key: 'ab', value: 'x\ufffdy' }])
})

test.each([
  ['team=red', { key: 'team', value: 'red' }],
  ['a==b', { key: 'a', value: '=b' }],
  ['a=', { key: 'a', value: '' }],
  ['=a', undefined],
  ['team', undefined],
])('a filter %s is %j', (text, pair) => {
  expect(readPair(text)).toEqual(pair)
})
