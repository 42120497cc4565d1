import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimalDollars, dollars, nanos, nanosOfDecimal } from './money.ts'

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

test('decimal text is exact, however much it is', () => {
  expect(decimalDollars(12_500_000_000n)).toBe('12.5')
  expect(decimalDollars(-1n)).toBe('-0.000000001')
  expect(decimalDollars(0n)).toBe('0')
  expect(nanosOfDecimal('9007199254740.993000001')).toBe(9_007_199_254_740_993_000_001n)
  for (const wrong of ['', '.5', '5.', '1e3', '+1', ' 1', '1.0000000001', '1000000000000000', '--1', '٣'])
    expect(nanosOfDecimal(wrong), wrong).toBeUndefined()
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 24n) + 1n, max: 10n ** 24n - 1n }), amountNanos => {
      expect(nanosOfDecimal(decimalDollars(amountNanos))).toBe(amountNanos)
    }),
  )
})
