import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson, parseObject } from './answer.ts'

const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`

test('what nests deeper than it could be written again is no answer', () => {
  for (const text of [nested(500), JSON.stringify({ a: '['.repeat(2_000), b: '\\"[['.repeat(1_000) })])
    expect(parseJson(text)).toEqual(JSON.parse(text))
  for (const text of [nested(501), nested(200_000)]) {
    expect(() => parseJson(text)).toThrow(SyntaxError)
    expect(() => parseObject(text)).toThrow(expect.objectContaining({ kind: 'broken' }))
  }
})

test('everything else is read as it is', () => {
  fc.assert(
    fc.property(fc.json(), fc.string(), (json, text) => {
      const padded = JSON.stringify([json, text, ' '.repeat(1_000)])
      expect(parseJson(padded)).toEqual(JSON.parse(padded))
    }),
  )
})
