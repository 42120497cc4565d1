import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Problem } from '../../schema/errors.ts'
import { checkValues } from '../formats/shared/values.ts'
import { answerLimits, limitsFor } from './answer-limits.ts'

describe('the values of a JSON text', () => {
  const allowed = (json: string, limit: number) => {
    try {
      checkValues(Buffer.from(json), limit)
      return true
    } catch {
      return false
    }
  }

  test('are counted outside of its texts, and nothing else is', () => {
    const text = JSON.stringify({ text: ',:[{"\\"\\\\",'.repeat(10), end: '\\' })
    expect([allowed(text, 3), allowed(text, 4)]).toEqual([false, true])
  })

  test('are never counted as more than by a counter that reads each character', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(20), (value, limit) => {
        const json = JSON.stringify(value)
        const outside = json.replaceAll(/"(\\.|[^"\\])*"/g, '')
        const values = outside.replaceAll(/[^[{,:]/g, '').length
        expect(allowed(json, limit)).toBe(values <= limit)
      }),
    )
  })

  test('a body that is no JSON ends the count as well', () => {
    for (const body of ['"', '"\\', `"${'\\'.repeat(99)}"`, '\\"\\"']) expect(allowed(body, 0)).toBe(true)
  })
})

describe('the limits of an answer whose size its request determines', () => {
  const { platform, own } = answerLimits
  const sizeOf = (bytes: number) => ({ bytes, values: 10 })

  test("are as large as the answer over the platform's credential", () => {
    const bytes = 3 * platform.wholeBytes
    expect(limitsFor(platform, sizeOf(bytes)).wholeBytes).toBe(bytes)
    expect(limitsFor(platform, sizeOf(1)).wholeBytes).toBe(platform.wholeBytes)
  })

  test("are at most the platform's limit over an own credential", () => {
    expect(limitsFor(own, sizeOf(platform.wholeBytes)).wholeBytes).toBe(platform.wholeBytes)
    expect(() => limitsFor(own, sizeOf(platform.wholeBytes + 1))).toThrow(Problem)
  })
})
