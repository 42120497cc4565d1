import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parsePrice, printDollars, printPrice, units } from './parse-price.ts'

test('a price is read from its decimal digits, never from a float', () => {
  expect(parsePrice('0.15 per second')).toEqual({
    unit: 'second',
    per: 1n,
    attosPerUnit: 150_000_000_000_000_000n,
  })
  expect(parsePrice('2.50 per 1M tokens')).toEqual({
    unit: 'token',
    per: 1_000_000n,
    attosPerUnit: 2_500_000_000_000n,
  })
  expect(parsePrice('0.000000001 per 1M tokens').attosPerUnit).toBe(1_000n)
  expect(parsePrice('0.0008 per input image').attosPerUnit).toBe(800_000_000_000_000n)
  expect(parsePrice('30 per 1K characters').attosPerUnit).toBe(30_000_000_000_000_000n)
})

test.each([
  '0,15 per second',
  '.15 per second',
  '-1 per second',
  '1e3 per second',
  '0.1234567891 per second',
  '0.15 per seconds',
  '0.15 per 1M second',
  '0.15 per 10 seconds',
  '0.15 per fortnight',
  '0.15',
  '',
])('"%s" is refused with an explanation', text => {
  expect(() => parsePrice(text)).toThrow(/is not a (price|unit of prices)/)
})

test('every price survives being printed and read again', () => {
  const price = fc.record({
    unit: fc.constantFrom(...units),
    per: fc.constantFrom(1n, 1_000n, 1_000_000n),
    writtenNanos: fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }),
  })
  fc.assert(
    fc.property(price, ({ unit, per, writtenNanos }) => {
      const attosPerUnit = (writtenNanos * 10n ** 9n) / per
      expect(parsePrice(printPrice({ unit, per, attosPerUnit }))).toEqual({ unit, per, attosPerUnit })
    }),
  )
})

test('printed dollars are exact, without needless zeros', () => {
  expect(printDollars(85_000_000_000_000_000n)).toBe('0.085')
  expect(printDollars(-1n)).toBe('-0.000000000000000001')
  expect(printDollars(3n * 10n ** 18n)).toBe('3')
  expect(printDollars(0n)).toBe('0')
})
