import fc from 'fast-check'
import { expect, test } from 'vitest'
import { numberAt, textAt, valuesAt } from './answer-paths.ts'

const answer = {
  images: [{ url: 'a' }, { url: 'b' }, { url: null }],
  output: 'c',
  detail: [{ msg: '' }, { msg: 'too dark' }],
  code: 1026,
  progress: '0.5',
}

test('names lead into objects, a star to every item of a list or to the thing itself', () => {
  expect(valuesAt(answer, 'images.*.url')).toEqual(['a', 'b'])
  expect(valuesAt(answer, 'images.1.url')).toEqual(['b'])
  expect(valuesAt(answer, 'output.*')).toEqual(['c'])
  expect(valuesAt(answer, 'images.url')).toEqual([])
  expect(valuesAt(answer, 'output.*.url')).toEqual([])
})

test('the first text that is not empty, and numbers as text or as such', () => {
  expect(textAt(answer, 'error', 'detail.*.msg', 'output')).toBe('too dark')
  expect(textAt(answer, 'code')).toBe('1026')
  expect(textAt(answer, 'images')).toBeUndefined()
  expect(numberAt(answer, 'progress')).toBe(0.5)
  expect(numberAt(answer, 'output')).toBeUndefined()
})

test('nothing is read of a prototype', () => {
  for (const path of ['constructor', '__proto__', 'toString.name', 'images.length', 'output.length'])
    expect(valuesAt(answer, path)).toEqual([])
})

test('any answer can be read at any place, in little time', () => {
  const name = fc.constantFrom('*', 'a', 'b', '0', '__proto__')
  const path = fc.array(name, { minLength: 1, maxLength: 6 }).map(names => names.join('.'))
  const { tree } = fc.letrec(tie => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.jsonValue(),
      fc.array(tie('tree')),
      fc.dictionary(fc.constantFrom('a', 'b'), tie('tree')),
    ),
  }))
  fc.assert(
    fc.property(tree, path, (value, place) => {
      expect(valuesAt(value, place).length).toBeLessThanOrEqual(64)
      const text = textAt(value, place)
      expect(text === undefined || text !== '').toBe(true)
    }),
  )
  const wide = Array(100).fill(Array(100).fill(Array(100).fill('x')))
  expect(valuesAt(wide, '*.*.*')).toHaveLength(64)
})
