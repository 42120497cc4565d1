import type { Usage } from '../../schema/usage.ts'
import type { ChatUsageBody } from '../../schema/wire/chat.ts'

/** `usage` as chat clients read it: the cache fields are left out when zero (docs/behaviour.md, Chat). */
export function presentUsage(usage: Usage): ChatUsageBody {
  const body: ChatUsageBody = {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
  }
  if (usage.cachedTokens > 0 || usage.cacheCreationTokens > 0) {
    body.prompt_tokens_details = {
      ...(usage.cachedTokens > 0 && {
        cached_tokens: usage.cachedTokens,
        cache_read_input_tokens: usage.cachedTokens,
      }),
      ...(usage.cacheCreationTokens > 0 && { cache_creation_input_tokens: usage.cacheCreationTokens }),
    }
  }
  if (usage.reasoningTokens > 0) body.completion_tokens_details = { reasoning_tokens: usage.reasoningTokens }
  return body
}
