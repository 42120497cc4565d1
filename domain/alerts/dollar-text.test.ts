import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dollarText } from './dollar-text.ts'

test.each([
  [0n, '$0.00'],
  [12_500_000_000n, '$12.50'],
  [4_000n, '$0.000004'],
  [1n, '$0.000000001'],
  [-4_000n, '-$0.000004'],
  [1_234_567_890_000_000_000n, '$1,234,567,890.00'],
  ['999000000000', '$999.00'],
])('%s nano-dollars are %s', (amount, text) => {
  expect(dollarText(amount)).toBe(text)
})

test('is exact, with at least two decimals and no further trailing zeros', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), amount => {
      const text = dollarText(amount)
      expect(text).toMatch(/^-?\$\d{1,3}(,\d{3})*\.\d\d(\d{0,6}[1-9])?$/)
      const [whole = '', decimals = ''] = text.replaceAll(/[$,-]/g, '').split('.')
      const nanos = BigInt(whole) * 10n ** 9n + BigInt(decimals.padEnd(9, '0'))
      expect(text.startsWith('-') ? -nanos : nanos).toBe(amount)
    }),
  )
})
