import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ChatPrices, type ServiceTier, tokenKinds } from '../../schema/catalog/prices.ts'
import { type ChatUsage, compileChatPrice } from './compile-chat-price.ts'
import { ATTOS_PER_NANO, printPrice } from './parse-price.ts'

const usage = (given: Partial<ChatUsage>): ChatUsage => ({
  promptTokens: 0,
  cachedTokens: 0,
  cacheCreationTokens: 0,
  completionTokens: 0,
  ...given,
})

const tiered: ChatPrices = {
  rates: [
    { of: 'input', price: '3 per 1M tokens' },
    { of: 'cache_read', price: '0.30 per 1M tokens' },
    { of: 'cache_write', price: '3.75 per 1M tokens' },
    { of: 'output', price: '15 per 1M tokens' },
    { of: 'input', price: '6 per 1M tokens', above_prompt_tokens: 200_000 },
    { of: 'cache_read', price: '0.60 per 1M tokens', above_prompt_tokens: 200_000 },
    { of: 'cache_write', price: '7.50 per 1M tokens', above_prompt_tokens: 200_000 },
    { of: 'output', price: '22.50 per 1M tokens', above_prompt_tokens: 200_000 },
  ],
  surcharges: [{ of: 'images', price: '0.0008 per input image' }],
}

test.each([
  ['nothing', {}, 0n],
  ['fresh input', { promptTokens: 1_000 }, 3_000_000n],
  ['input read from the cache', { promptTokens: 1_000, cachedTokens: 600 }, 1_200_000n + 180_000n],
  ['input written to the cache', { promptTokens: 1_000, cacheCreationTokens: 600 }, 1_200_000n + 2_250_000n],
  ['output', { completionTokens: 2 }, 30_000n],
  ['images', { images: 3 }, 2_400_000n],
  ['a prompt at the threshold', { promptTokens: 200_000, completionTokens: 1 }, 600_000_000n + 15_000n],
  ['a prompt above the threshold', { promptTokens: 200_001, completionTokens: 1 }, 1_200_006_000n + 22_500n],
  [
    'more cached tokens than the prompt has',
    { promptTokens: 10, cachedTokens: 99, cacheCreationTokens: 5 },
    3_000n,
  ],
])('%s', (_, given, amountNanos) => {
  expect(compileChatPrice(tiered).price(usage(given))).toBe(amountNanos)
})

test('a price below one nano-dollar is rounded up once, not once a term', () => {
  const prices = compileChatPrice({
    rates: [
      { of: 'input', price: '0.0004 per 1M tokens' },
      { of: 'output', price: '0.0005 per 1M tokens' },
    ],
    surcharges: [],
  })
  expect(prices.explain(usage({ promptTokens: 1, completionTokens: 1 }))).toEqual({
    amountNanos: 1n,
    terms: [
      { label: 'input', quantity: 1, unit: 'token', attosPerUnit: 400_000_000n, amountAttos: 400_000_000n },
      { label: 'output', quantity: 1, unit: 'token', attosPerUnit: 500_000_000n, amountAttos: 500_000_000n },
      {
        label: 'rounded up',
        quantity: 1,
        unit: 'rounding',
        attosPerUnit: 100_000_000n,
        amountAttos: 100_000_000n,
      },
    ],
  })
})

test('the terms make exactly the sum, and the explained price is the price', () => {
  fc.assert(
    fc.property(anyPrices, anyUsage, (prices, used) => {
      const compiled = compileChatPrice(prices)
      const { amountNanos, terms } = compiled.explain(used)
      for (const term of terms) expect(term.amountAttos).toBe(BigInt(term.quantity) * term.attosPerUnit)
      expect(sum(terms.map(term => term.amountAttos))).toBe(amountNanos * ATTOS_PER_NANO)
      expect(compiled.price(used)).toBe(amountNanos)
      expect(amountNanos).toBeGreaterThanOrEqual(0n)
    }),
  )
})

test('the price is the exact fraction, rounded up', () => {
  fc.assert(
    fc.property(writtenNanos, writtenNanos, count, count, (input, output, promptTokens, completionTokens) => {
      const compiled = compileChatPrice({
        rates: [
          { of: 'input', price: perMillion(input) },
          { of: 'output', price: perMillion(output) },
        ],
        surcharges: [],
      })
      const millionths = BigInt(promptTokens) * input + BigInt(completionTokens) * output
      const expected = millionths / 1_000_000n + (millionths % 1_000_000n > 0n ? 1n : 0n)
      expect(compiled.price(usage({ promptTokens, completionTokens }))).toBe(expected)
    }),
  )
})

test('the estimate covers every usage within its bounds, however the prompt splits, in every tier that is reported', () => {
  fc.assert(
    fc.property(
      anyPrices,
      anyUsage,
      count,
      count,
      asked,
      (prices, used, moreTokens, moreOutput, requestedTier) => {
        const bounds = {
          requestedTier,
          promptTokens: used.promptTokens + moreTokens,
          outputTokens: used.completionTokens + moreOutput,
          images: used.images,
        }
        const compiled = compileChatPrice(prices)
        for (const reportedTier of ['default', 'flex', 'priority', 'scale', undefined]) {
          const price = compiled.price({ ...used, requestedTier, reportedTier })
          expect(compiled.estimate(bounds)).toBeGreaterThanOrEqual(price)
        }
      },
    ),
  )
})

test('the estimate covers a shorter prompt too, where that would be the more expensive one', () => {
  const { price, estimate } = compileChatPrice({
    rates: [
      { of: 'input', price: '3 per 1M tokens' },
      { of: 'output', price: '20 per 1M tokens' },
      { of: 'input', price: '1 per 1M tokens', above_prompt_tokens: 100 },
      { of: 'output', price: '5 per 1M tokens', above_prompt_tokens: 100 },
    ],
    surcharges: [],
  })
  expect(price(usage({ promptTokens: 100, completionTokens: 50 }))).toBe(300_000n + 1_000_000n)
  expect(estimate({ promptTokens: 101, outputTokens: 50 })).toBe(303_000n + 1_000_000n)
})

test('the affordable output is the most that the budget covers', () => {
  fc.assert(
    fc.property(
      anyPrices,
      count,
      fc.bigInt({ min: 0n, max: 10n ** 11n }),
      asked,
      (prices, promptTokens, budgetNanos, requestedTier) => {
        const compiled = compileChatPrice(prices)
        const outputTokens = compiled.affordableOutput({ promptTokens, requestedTier }, budgetNanos)
        const estimate = (outputs: number) =>
          compiled.estimate({ promptTokens, requestedTier, outputTokens: outputs })
        if (outputTokens === undefined) {
          expect(estimate(0)).toBeGreaterThan(budgetNanos)
          return
        }
        expect(estimate(outputTokens)).toBeLessThanOrEqual(budgetNanos)
        if (outputTokens < Number.MAX_SAFE_INTEGER) {
          expect(estimate(outputTokens + 1)).toBeGreaterThan(budgetNanos)
        }
      },
    ),
  )
})

test('with the prices that a catalogue may hold, more tokens never cost less and more cached ones never more', () => {
  fc.assert(
    fc.property(orderedPrices, anyUsage, fc.integer({ min: 1, max: 300_000 }), (prices, used, more) => {
      const { price } = compileChatPrice(prices)
      const grown = (field: 'promptTokens' | 'completionTokens' | 'images') =>
        price({ ...used, [field]: (used[field] ?? 0) + more })
      expect(grown('promptTokens')).toBeGreaterThanOrEqual(price(used))
      expect(grown('completionTokens')).toBeGreaterThanOrEqual(price(used))
      expect(grown('images')).toBeGreaterThanOrEqual(price(used))

      const fresh = used.promptTokens - used.cachedTokens - used.cacheCreationTokens
      const shift = Math.min(more, fresh)
      expect(price({ ...used, cachedTokens: used.cachedTokens + shift })).toBeLessThanOrEqual(price(used))
      expect(
        price({ ...used, cacheCreationTokens: used.cacheCreationTokens + shift }),
      ).toBeGreaterThanOrEqual(price(used))
    }),
  )
})

const count = fc.integer({ min: 0, max: 500_000 })
/** Multiples of ten, as the catalogue requires of prices with tiers and a discount. */
const writtenNanos = fc
  .oneof(fc.bigInt({ min: 0n, max: 10n ** 5n }), fc.bigInt({ min: 0n, max: 10n ** 10n }))
  .map(tens => tens * 10n)
const perMillion = (nanos: bigint) =>
  printPrice({ unit: 'token', per: 1_000_000n, attosPerUnit: nanos * 1_000n })

/** Requested service tiers. */
const asked = fc.constantFrom('default', 'flex', 'priority', 'auto')

const anyUsage: fc.Arbitrary<ChatUsage> = fc
  .record({
    fresh: count,
    cachedTokens: count,
    cacheCreationTokens: count,
    completionTokens: count,
    images: fc.nat(20),
    requestedTier: fc.option(asked, { nil: undefined }),
    reportedTier: fc.option(asked, { nil: undefined }),
  })
  .map(({ fresh, ...rest }) => ({
    ...rest,
    promptTokens: fresh + rest.cachedTokens + rest.cacheCreationTokens,
  }))

const tierPrice = fc.integer({ min: 1, max: 300 }).map(percent => `${percent} %`)
const service_tiers: fc.Arbitrary<ServiceTier[]> = fc.tuple(tierPrice, tierPrice).map(([flex, priority]) => [
  { tier: 'default', price: '100 %' },
  { tier: 'flex', price: flex },
  { tier: 'priority', price: priority },
])

const discount = fc.integer({ min: 1, max: 99 }).map(percent => `${percent} %`)
const surcharges = fc.constantFrom<ChatPrices['surcharges']>(
  [],
  [{ of: 'images', price: '0.000000001 per input image' }],
)

const rateAbove = fc
  .record({ of: fc.constantFrom(...tokenKinds), price: writtenNanos.map(perMillion), above: count })
  .map(({ above, ...rate }) => ({ ...rate, above_prompt_tokens: above + 1 }))

/** Prices with these rates, with and without a discount. */
const pricesWith = (ofTokens: fc.Arbitrary<ChatPrices['rates']>): fc.Arbitrary<ChatPrices> =>
  fc.record(
    { rates: ofTokens, surcharges, discount, service_tiers },
    { requiredKeys: ['rates', 'surcharges'] },
  )

/** Prices in any order of size, with any tiers. */
const anyPrices = pricesWith(
  fc
    .tuple(
      fc.tuple(writtenNanos, writtenNanos, writtenNanos, writtenNanos),
      fc.array(rateAbove, { maxLength: 4 }),
    )
    .map(([base, above]) => [...rates(base), ...above]),
)

/** Prices in the order that `check-prices.ts` requires. */
const orderedPrices = pricesWith(
  fc
    .record({
      steps: fc.tuple(writtenNanos, writtenNanos, writtenNanos, writtenNanos),
      above: count,
      factor: fc.integer({ min: 1, max: 4 }),
    })
    .map(({ steps: [read, input, write, output], above, factor }) => {
      const base: Four = [read + input, output, read, read + input + write]
      const [first, second, third, fourth] = base.map(nanos => nanos * BigInt(factor))
      return [...rates(base), ...rates([first!, second!, third!, fourth!], above + 1)]
    }),
)

type Four = [input: bigint, output: bigint, read: bigint, write: bigint]

function rates([input, output, read, write]: Four, above?: number): ChatPrices['rates'] {
  const tier = above === undefined ? {} : { above_prompt_tokens: above }
  return [
    { of: 'input', price: perMillion(input), ...tier },
    { of: 'output', price: perMillion(output), ...tier },
    { of: 'cache_read', price: perMillion(read), ...tier },
    { of: 'cache_write', price: perMillion(write), ...tier },
  ]
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}
