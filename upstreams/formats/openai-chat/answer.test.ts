import { expect, test } from 'vitest'
import { readUsage } from './answer.ts'

const usageOf = (completion_tokens: number, reasoning_tokens: number, total_tokens?: number) =>
  readUsage({
    prompt_tokens: 10,
    completion_tokens,
    completion_tokens_details: { reasoning_tokens },
    total_tokens,
  })

test.each([
  ['a part of the completion', usageOf(330, 320, 340), 330],
  ['a part of the completion, without a total', usageOf(330, 320), 330],
  ['beside the completion, as the total says', usageOf(9, 320, 339), 329],
])('thoughts may be counted as %s', (_, usage, completionTokens) => {
  expect(usage).toMatchObject({ promptTokens: 10, completionTokens, reasoningTokens: 320 })
})
