import { expect, test } from 'vitest'
import { atPage, pageArguments, pagePlaceOf, withFilter } from './address.ts'

test('another page keeps the filters, and another filter opens the first page', () => {
  const search = { model: 'atlas', key: 'shop', after: 'cursor' }
  expect(atPage({ before: 'first' })(search)).toEqual({ model: 'atlas', key: 'shop', before: 'first' })
  expect(withFilter('model', 'lyric')(search)).toEqual({ model: 'lyric', key: 'shop' })
  expect(withFilter('key', '')(search)).toEqual({ model: 'atlas' })
})

test('a place is one cursor, forwards or backwards', () => {
  expect(pagePlaceOf({ after: 'a', before: 'b' })).toEqual({ after: 'a' })
  expect(pageArguments({ after: 'a' }, 25)).toEqual({ first: 25, after: 'a', last: null, before: null })
  expect(pageArguments({ before: 'b' }, 25)).toEqual({ first: null, after: null, last: 25, before: 'b' })
})
