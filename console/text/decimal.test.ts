import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf, sumMoney, timesMoney } from './decimal.ts'

test('sums of amounts are exact', () => {
  expect(sumMoney(['0.1', '0.2', '-0.000000001'])).toBe('0.299999999')
  expect(sumMoney([])).toBe('0')
  const nanos = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n })
  fc.assert(
    fc.property(nanos, nanos, (one, other) => {
      const [a, b] = [sumMoney([text(one)]), sumMoney([text(other)])]
      expect(sumMoney([a, b, sumMoney([text(-other)])])).toBe(a)
    }),
  )
})

/** Nano-dollars as decimal text with all places. */
function text(nanos: bigint): string {
  const size = String(nanos < 0n ? -nanos : nanos).padStart(10, '0')
  return `${nanos < 0n ? '-' : ''}${size.slice(0, -9)}.${size.slice(-9)}`
}

test('a share is between 0 and 1, and a limit of zero is used up', () => {
  expect([shareOf('1', '4'), shareOf('9', '4'), shareOf('0', '0')]).toEqual([0.25, 1, 1])
})

test('a multiple of an amount is exact', () => {
  expect(timesMoney('0.000000003', 1_000_000_007n)).toBe('3.000000021')
  expect(timesMoney('-1.5', 3n)).toBe('-4.5')
})
