import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonTemplate } from './json-template.ts'

const path = ['a', 0, 'text']

/** Any value with a text at the path, and other things around it that may look like it. */
const values = fc.record(
  {
    before: fc.jsonValue(),
    a: fc.record({ text: fc.string({ unit: 'binary' }), more: fc.jsonValue() }).map(holder => [holder]),
    after: fc.oneof(fc.jsonValue(), fc.record({ text: fc.string() })),
  },
  { requiredKeys: ['a'] },
)

const withText = (value: { a: object[] }, text: string) => ({ ...value, a: [{ ...value.a[0], text }] })

test('what is written is what printing the value would give, and is read again', () => {
  fc.assert(
    fc.property(values, fc.string({ unit: 'binary' }), (value, text) => {
      const template = JsonTemplate.of(JSON.stringify(value), path)
      if (!template) return
      const json = JSON.stringify(withText(value, text))
      expect(template.write(text)).toBe(json)
      expect(template.read(json)).toBe(text)
    }),
  )
})

test('the template of a value writes what printing the value would give', () => {
  fc.assert(
    fc.property(values, fc.string({ unit: 'binary' }), fc.string(), (value, text, mark) => {
      const template = JsonTemplate.print(withText(value, mark), mark)
      if (template) expect(template.write(text)).toBe(JSON.stringify(withText(value, text)))
      else expect(JSON.stringify(withText(value, mark)).split(JSON.stringify(mark))).not.toHaveLength(2)
    }),
  )
})

test('there is a template where nothing else is called like the text', () => {
  const plain = values.filter(({ before, after }) => !JSON.stringify([before, after]).includes('text'))
  fc.assert(fc.property(plain, value => JsonTemplate.of(JSON.stringify(value), path) !== undefined))
})

test('whatever is read differs in the text alone, or is not read', () => {
  const value = { a: [{ text: 'one' }], text: 'two' }
  const template = JsonTemplate.of(JSON.stringify(value), path)
  const literals = fc.oneof(
    fc.string().map(text => JSON.stringify(text)),
    fc.string({ unit: fc.constantFrom('"', '\\', ',', ':', 'x', 'u0041', '\n', ' ', '}', ']') }),
  )
  fc.assert(
    fc.property(literals, literal => {
      const json = `{"a":[{"text":${literal}}],"text":"two"}`
      const text = template?.read(json)
      if (text !== undefined) expect(JSON.parse(json)).toEqual(withText(value, text))
      else expect(() => expect(JSON.parse(json)).toEqual(withText(value, expect.any(String)))).toThrow()
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  ['another has the place', '{"text":"x","a":[{"text":"x"}]}'],
  ['the text is given twice', '{"a":[{"text":"x","text":"x"}]}'],
  ['the text is no string', '{"a":[{"text":1}]}'],
  ['the text is missing', '{"a":[]}'],
  ['it is no JSON', '{"a":[{"text":"x"}]'],
  ['it is very long', JSON.stringify({ a: [{ text: 'x'.repeat(5_000) }] })],
])('there is no template where %s', (_, json) => {
  expect(JsonTemplate.of(json, path)).toBeUndefined()
})
