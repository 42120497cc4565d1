import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitJson, splitWords } from './split-text.ts'

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
