import { expect, test } from 'vitest'
import { aRefusal } from '../../test/harness/a-refusal.ts'
import { readMetadata, readPair } from './request-metadata.ts'

const pairsOf = (given: unknown) => JSON.parse(readMetadata(given) ?? 'null')

test('pairs of texts are kept in their order, whatever their names are', () => {
  const given = JSON.parse('{"team": "red", "__proto__": "x", "constructor": ""}')
  expect(pairsOf(given)).toEqual([
    { key: 'team', value: 'red' },
    { key: '__proto__', value: 'x' },
    { key: 'constructor', value: '' },
  ])
})

test.each<[string, unknown, string]>([
  ['a text', 'text', 'metadata'],
  ['a list', ['a'], 'metadata'],
  ['17 pairs', Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, 'v'])), 'metadata'],
  ['an empty key', { '': 'x' }, 'metadata'],
  ['a key of 65 characters', { ['k'.repeat(65)]: 'x' }, 'metadata'],
  ['a value of 513 characters', { team: 'v'.repeat(513) }, 'metadata.team'],
  ['a number', { team: 1 }, 'metadata.team'],
  ['null', { team: null }, 'metadata.team'],
  ['an object', { team: {} }, 'metadata.team'],
])('%s is refused', async (_what, given, param) => {
  expect(await aRefusal(() => readMetadata(given))).toEqual({ problem: 'invalid_request', param })
})

test('pairs at the limits of OpenAI are kept, in characters', () => {
  const given = Object.fromEntries(
    Array.from({ length: 16 }, (_, index) => [`${'k'.repeat(62)}${10 + index}`, '😀'.repeat(512)]),
  )
  expect(pairsOf(given)).toHaveLength(16)
  for (const none of [undefined, null, {}]) expect(readMetadata(none)).toBeNull()
})

test('NUL and halves of characters are removed, which Postgres could not read as JSON', () => {
  expect(pairsOf({ 'a\0b': 'x\0\ud800y', ab: 'z' })).toEqual([{ key: 'ab', value: 'z' }])
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
