import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dollars, nanos } from './money.ts'

test('dollars are read from their decimal digits, never from the float', () => {
  expect(nanos(0.1)).toBe(100_000_000n)
  expect(nanos(0.29)).toBe(290_000_000n)
  expect(nanos(1e-9)).toBe(1n)
  expect(nanos(-2.5)).toBe(-2_500_000_000n)
  expect(nanos(1e-10)).toBeUndefined()
  expect(nanos(Number.POSITIVE_INFINITY)).toBeUndefined()
})

test('an amount survives the border and back', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 50n), max: 2n ** 50n }), amountNanos => {
      expect(nanos(dollars(amountNanos))).toBe(amountNanos)
    }),
  )
})
