import { expect, test } from 'vitest'
import { dropOldest } from './drop-oldest.ts'

test('the entries that were inserted first are dropped, and a full map keeps the rest', () => {
  const map = new Map(['a', 'b', 'c', 'd'].map(name => [name, name]))
  map.set('a', 'changed')
  dropOldest(map, 2)
  expect([...map.keys()]).toEqual(['c', 'd'])
  dropOldest(map, 2)
  expect([...map.keys()]).toEqual(['c', 'd'])
})
