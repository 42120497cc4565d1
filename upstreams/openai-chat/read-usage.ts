import { isRecord } from '../../platform/is-record.ts'
import type { Usage } from '../../schema/usage.ts'
import { countOf } from '../answer/read-shape.ts'

/** The vendor's usage; undefined where it is not told. Cached tokens are part of the prompt. */
export function readUsage(body: unknown): Usage | undefined {
  if (!isRecord(body)) return undefined
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = body
  if (typeof promptTokens !== 'number' || typeof completionTokens !== 'number') return undefined
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = body
  return {
    promptTokens,
    cachedTokens: isRecord(prompt) ? countOf(prompt.cached_tokens) : 0,
    cacheCreationTokens: 0, // no write premium for this vendor (contract: Chat completion response)
    completionTokens,
    reasoningTokens: isRecord(completion) ? countOf(completion.reasoning_tokens) : 0,
  }
}
