import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countTokens, splitJson, splitWords, takeTokens } from './text.ts'

describe('countTokens', () => {
  it('counts four characters a token, the last one perhaps short', () => {
    expect(['', 'a', 'abcd', 'abcde'].map(countTokens)).toEqual([0, 1, 1, 2])
  })

  it('never counts less for more text, nor more than for the pieces alone', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        const together = countTokens(one + other)
        expect(together).toBeGreaterThanOrEqual(Math.max(countTokens(one), countTokens(other)))
        expect(together).toBeLessThanOrEqual(countTokens(one) + countTokens(other))
      }),
    )
  })
})

describe('takeTokens', () => {
  it('takes a beginning of exactly that many tokens, never half of a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.nat(20), (text, count) => {
        const taken = takeTokens(text, count)
        expect(text.startsWith(taken)).toBe(true)
        expect(countTokens(taken)).toBe(Math.min(count, countTokens(text)))
        expect(taken.isWellFormed()).toBe(true)
      }),
    )
  })
})

describe.each([
  ['splitWords', splitWords],
  ['splitJson', splitJson],
])('%s', (_name, split) => {
  it('loses nothing, makes no empty piece, and cuts no character in two', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), text => {
        const pieces = [...split(text)]
        expect(pieces.join('')).toBe(text)
        expect(pieces.every(piece => piece !== '' && piece.isWellFormed())).toBe(true)
      }),
    )
  })
})

describe('splitWords', () => {
  it('carries a word each, with the space before it', () => {
    expect([...splitWords('one two  three ')]).toEqual(['one', ' two', '  three', ' '])
  })
})
