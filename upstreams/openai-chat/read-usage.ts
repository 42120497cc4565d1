import type { Usage } from '../../schema/usage.ts'
import type { ChatUsageBody } from '../../schema/wire/chat.ts'

/** The vendor's usage. Cached tokens are part of the prompt; `cache_write_tokens` are those written. */
export function readUsage(body: ChatUsageBody | null | undefined): Usage | undefined {
  if (!body || typeof body.prompt_tokens !== 'number' || typeof body.completion_tokens !== 'number')
    return undefined
  return {
    promptTokens: body.prompt_tokens,
    cachedTokens: body.prompt_tokens_details?.cached_tokens ?? 0,
    cacheCreationTokens: 0, // no write premium for this vendor (contract: Chat completion response)
    completionTokens: body.completion_tokens,
    reasoningTokens: body.completion_tokens_details?.reasoning_tokens ?? 0,
  }
}
