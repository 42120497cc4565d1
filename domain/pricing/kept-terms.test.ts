import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimalText } from '../../platform/money.ts'
import { keepTerms, readTerms } from './kept-terms.ts'
import { units } from './parse-price.ts'

test('terms are kept in a few bytes, and read as exact dollars', () => {
  const kept = keepTerms([
    {
      label: 'input',
      quantity: 12,
      unit: 'token',
      attosPerUnit: 2_500n * 10n ** 9n,
      amountAttos: 30_000n * 10n ** 9n,
    },
    { label: 'discount', quantity: 15, unit: 'percent', attosPerUnit: -300n, amountAttos: -4_500n },
    { label: 'rounded up', quantity: 1, unit: 'rounding', attosPerUnit: 7n, amountAttos: 7n },
  ])
  expect(kept).toBe('input:12:token:2500000000000;discount:15:percent:-300;rounded up:1:rounding:7')
  expect(readTerms(kept)).toEqual([
    { label: 'input', quantity: 12, unit: 'token', rate: '0.0000025', amount: '0.00003' },
    {
      label: 'discount',
      quantity: 15,
      unit: 'percent',
      rate: '-0.0000000000000003',
      amount: '-0.0000000000000045',
    },
    {
      label: 'rounded up',
      quantity: 1,
      unit: 'rounding',
      rate: '0.000000000000000007',
      amount: '0.000000000000000007',
    },
  ])
})

test('whatever operators call a rate, its terms are read as they were', () => {
  const term = fc.record({
    label: fc.string({
      unit: fc.oneof(fc.constantFrom(':', ';', '%', '[', ' '), fc.string({ unit: 'grapheme' })),
    }),
    quantity: fc.maxSafeNat(),
    unit: fc.constantFrom(...units, 'percent' as const, 'rounding' as const, 'cap' as const),
    attosPerUnit: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
  })
  fc.assert(
    fc.property(fc.array(term, { maxLength: 6 }), terms => {
      const explained = terms.map(given => ({
        ...given,
        amountAttos: BigInt(given.quantity) * given.attosPerUnit,
      }))
      expect(readTerms(keepTerms(explained))).toEqual(
        explained.map(({ label, quantity, unit, attosPerUnit, amountAttos }) => ({
          label,
          quantity,
          unit,
          rate: decimalText(attosPerUnit, 18),
          amount: decimalText(amountAttos, 18),
        })),
      )
    }),
  )
})
