import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchesPattern } from './patterns.ts'

test('a star matches any text, also none; all other characters match themselves', () => {
  const matches = (pattern: string) =>
    ['gpt-5', 'gpt-5.4', 'gpt-5.4-mini', 'a/gpt-5'].filter(text => matchesPattern(pattern, text))
  expect(matches('gpt-5')).toEqual(['gpt-5'])
  expect(matches('gpt-5*')).toEqual(['gpt-5', 'gpt-5.4', 'gpt-5.4-mini'])
  expect(matches('*gpt-5')).toEqual(['gpt-5', 'a/gpt-5'])
  expect(matches('gpt*5*mini')).toEqual(['gpt-5.4-mini'])
  expect(matches('gpt.5*')).toEqual([])
  expect(matches('*')).toHaveLength(4)
})

test('agrees with a regular expression, without its worst case', () => {
  const text = fc.stringMatching(/^[ab*]{0,8}$/)
  fc.assert(
    fc.property(text, fc.stringMatching(/^[ab]{0,8}$/), (pattern, value) => {
      expect(matchesPattern(pattern, value)).toBe(
        new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(value),
      )
    }),
  )
  expect(matchesPattern('*a'.repeat(100), 'a'.repeat(99))).toBe(false)
})
