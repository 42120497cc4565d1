import type { Usage } from '../../../../schema/usage.ts'
import { countOf } from '../../shared/answer/read-shape.ts'
import type { UsageBody } from '../wire.ts'

/**
 * The vendor's usage. Its `input_tokens` leave out what was read from the cache and what was written to it; thinking
 * is part of the output. Undefined where it is not told.
 */
export function readUsage(body: UsageBody | null | undefined): Usage | undefined {
  if (typeof body?.input_tokens !== 'number' || typeof body.output_tokens !== 'number') return undefined
  const cachedTokens = countOf(body.cache_read_input_tokens)
  const cacheCreationTokens = countOf(body.cache_creation_input_tokens)
  return {
    promptTokens: body.input_tokens + cachedTokens + cacheCreationTokens,
    cachedTokens,
    cacheCreationTokens,
    completionTokens: body.output_tokens,
    reasoningTokens: countOf(body.output_tokens_details?.thinking_tokens),
  }
}
