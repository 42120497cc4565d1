import { expect, test } from 'vitest'
import { aChatEntry } from '../../../test/harness/a-chat-call.ts'
import { readUsage } from './answer.ts'

const atlas = aChatEntry('vendor_a/atlas')

const usageOf = (completion_tokens: number, reasoning_tokens: number, total_tokens?: number) =>
  readUsage(
    {
      prompt_tokens: 10,
      completion_tokens,
      completion_tokens_details: { reasoning_tokens },
      total_tokens,
    },
    atlas,
  )

test.each([
  ['a part of the completion', usageOf(330, 320, 340), 330],
  ['a part of the completion, without a total', usageOf(330, 320), 330],
  ['beside the completion, as the total says', usageOf(9, 320, 339), 329],
])('thoughts may be counted as %s', (_, usage, completionTokens) => {
  expect(usage).toMatchObject({ promptTokens: 10, completionTokens, reasoningTokens: 320 })
})

test('cache writes are counted if the model has a price for them in any period, and are ordinary input otherwise', () => {
  const { rates } = atlas.prices
  const written = { of: 'cache_write' as const, price: '1.5625 per 1M tokens' }
  const usage = {
    prompt_tokens: 2_000,
    completion_tokens: 1,
    prompt_tokens_details: { cache_write_tokens: 1_500 },
  }
  const countedWith = (prices: object) =>
    readUsage(usage, { prices: { ...atlas.prices, ...prices } })?.cacheCreationTokens
  expect(countedWith({})).toBe(0)
  expect(countedWith({ rates: [...rates, written] })).toBe(1_500)
  expect(countedWith({ rates: [], periods: [{ rates }, { rates: [...rates, written] }] })).toBe(1_500)
})
