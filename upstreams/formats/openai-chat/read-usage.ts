import { isRecord } from '../../../platform/is-record.ts'
import type { Usage } from '../../../schema/usage.ts'
import { countOf } from '../shared/answer/read-shape.ts'

/**
 * The vendor's usage; undefined where it is not told. Cached tokens are part of the prompt. Some vendors count thoughts
 * beside the completion and not as a part of it: their total says so.
 */
export function readUsage(body: unknown): Usage | undefined {
  if (!isRecord(body)) return undefined
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = body
  if (typeof promptTokens !== 'number' || typeof completionTokens !== 'number') return undefined
  const { prompt_tokens_details: prompt, completion_tokens_details: completion, total_tokens: total } = body
  const reasoningTokens = isRecord(completion) ? countOf(completion.reasoning_tokens) : 0
  const isBeside = reasoningTokens > 0 && total === promptTokens + completionTokens + reasoningTokens
  return {
    promptTokens,
    cachedTokens: isRecord(prompt) ? countOf(prompt.cached_tokens) : 0,
    cacheCreationTokens: 0, // no write premium for this vendor (contract: Chat completion response)
    completionTokens: isBeside ? completionTokens + reasoningTokens : completionTokens,
    reasoningTokens,
  }
}
