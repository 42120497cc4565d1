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
  ['auto', 'priority', 5_400_000n],
  ['auto', 'flex', 1_350_000n],
  ['auto', 'default', 2_700_000n],
  ['auto', 'scale', 2_700_000n],
  ['auto', undefined, 2_700_000n],
  ['flex', undefined, 1_350_000n],
  ['flex', 'default', 2_700_000n],
  ['flex', 'priority', 2_700_000n],
  [undefined, 'priority', 2_700_000n],
  [undefined, undefined, 2_700_000n],
])(
  'a request for the tier %s with an answer in %s costs %d nano-dollars',
  (requestedTier, reportedTier, nanos) => {
    expect(price.price({ ...usage, requestedTier, reportedTier })).toBe(nanos)
  },
)

test.each([
  ['priority', 5_400_000n],
  ['auto', 5_400_000n],
  ['flex', 2_700_000n],
  ['default', 2_700_000n],
  [undefined, 2_700_000n],
])('a request for the tier %s is held for %d nano-dollars', (requestedTier, nanos) => {
  expect(price.estimate({ promptTokens: 1_000, outputTokens: 1_000, requestedTier })).toBe(nanos)
})

test('the explanation names the tier', () => {
  const termsOf = (requestedTier: string) => price.explain({ ...usage, requestedTier }).terms
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
