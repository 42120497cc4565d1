import { expect, test } from 'vitest'
import { compileChatPrice } from './compile-chat-price.ts'

const price = compileChatPrice({
  rates: [
    { of: 'input', price: '1 per 1M tokens' },
    { of: 'output', price: '2 per 1M tokens' },
  ],
  surcharges: [],
  discount: '10 %',
  service_tiers: [
    { tier: 'default', price: '100 %' },
    { tier: 'flex', price: '50 %' },
    { tier: 'priority', price: '200 %' },
  ],
})

const usage = { promptTokens: 1_000, cachedTokens: 0, cacheCreationTokens: 0, completionTokens: 1_000 }

test.each([
  ['priority', 5_400_000n],
  ['flex', 1_350_000n],
  ['default', 2_700_000n],
  ['scale', 2_700_000n],
  ['auto', 2_700_000n],
  [undefined, 2_700_000n],
])('an answer in the tier %s costs %d nano-dollars', (serviceTier, nanos) => {
  expect(price.price({ ...usage, serviceTier })).toBe(nanos)
})

test.each([
  ['priority', 5_400_000n],
  ['auto', 5_400_000n],
  ['flex', 2_700_000n],
  ['default', 2_700_000n],
  [undefined, 2_700_000n],
])('a request for the tier %s is held for %d nano-dollars', (serviceTier, nanos) => {
  expect(price.estimate({ promptTokens: 1_000, outputTokens: 1_000, serviceTier })).toBe(nanos)
})

test('the explanation names the tier', () => {
  const termsOf = (serviceTier: string) => price.explain({ ...usage, serviceTier }).terms
  expect(termsOf('priority').slice(2)).toEqual([
    term('service tier priority', 100, 3n * 10n ** 13n),
    term('discount', 10, -6n * 10n ** 13n),
  ])
  expect(termsOf('flex')[2]).toEqual(term('service tier flex', 50, -3n * 10n ** 13n))
  expect(termsOf('default').map(({ label }) => label)).toEqual(['input', 'output', 'discount'])
})

function term(label: string, quantity: number, attosPerUnit: bigint) {
  return { label, quantity, unit: 'percent', attosPerUnit, amountAttos: BigInt(quantity) * attosPerUnit }
}
