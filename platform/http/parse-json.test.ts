import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson } from './parse-json.ts'
import { BodyRefused } from './read-body.ts'

const text = fc.string({ unit: fc.constantFrom('"', '\\', '\n', '[', '{', '}', ',', 'a', 'é') })
const { json } = fc.letrec<{ json: unknown }>(tie => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.integer(),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(text, tie('json'), { maxKeys: 4 }),
  ),
}))

/** An array or object counts as one value, and each comma as one more. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const members = Object.values(value)
  return members.reduce((sum, member) => sum + valuesIn(member), 1 + Math.max(0, members.length - 1))
}

test('values are counted outside of strings, whatever their quotes and backslashes', () => {
  fc.assert(
    fc.property(json, fc.constantFrom(undefined, 2), (value, spaces) => {
      const body = Buffer.from(JSON.stringify(value, null, spaces))
      const values = valuesIn(value)
      expect(parseJson(body, values)).toEqual(value)
      if (values > 0) expect(() => parseJson(body, values - 1)).toThrow(`has more than ${values - 1} values`)
    }),
    { numRuns: 1_000 },
  )
})

test('brackets in strings do not nest, brackets outside of them do', () => {
  const nested = (inner: string) => Buffer.from(`["\\\\", "\\"", ${inner}]`)
  expect(parseJson(nested(`"${'['.repeat(500)}"`))).toEqual(['\\', '"', '['.repeat(500)])
  expect(() => parseJson(nested('['.repeat(500) + ']'.repeat(500)))).toThrow('nests deeper than 200 levels')
})

test.each(['"', '"\\', '"\\"', '["a', '{"a": "\\u00'])('a string that does not end is refused: %s', body => {
  expect(() => parseJson(Buffer.from(body))).toThrow(BodyRefused)
})

test.each([
  ['{"a":', 'invalid_json'],
  ['{"__proto__":{}}', 'invalid_json'],
  ['{"constructor":{"prototype":{}}}', 'invalid_json'],
  ['['.repeat(201) + ']'.repeat(201), 'invalid_json'],
])('%j is no JSON for us', (body, errorName) => {
  expect(() => parseJson(Buffer.from(body))).toThrow(expect.objectContaining({ errorName }))
})

test.each([
  '['.repeat(200) + ']'.repeat(200),
  JSON.stringify('['.repeat(500)),
  '"\\"[[["',
  '{"constructor":1}',
])('%j is JSON', body => {
  expect(parseJson(Buffer.from(body))).toEqual(JSON.parse(body))
})
