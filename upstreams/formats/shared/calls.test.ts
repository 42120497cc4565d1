import { expect, test } from 'vitest'
import { readArguments } from './calls.ts'

test.each([
  ['{"a":1}', { a: 1 }],
  ['', {}],
  ['null', {}],
])('%j is what it says', (text, read) => {
  expect(readArguments(text)).toEqual(read)
})

test.each(['{"a":', '[1]', '{"__proto__":{}}', deep(100_000)])('%.20s is shown as it is written', text => {
  expect(readArguments(text)).toEqual({ unparsed_arguments: text })
})

function deep(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
}
