import type { Usage } from '../../../schema/usage.ts'
import type { UsageMetadata } from '../wire.ts'

/**
 * The vendor's usage. Cached tokens are part of the prompt; thoughts are counted beside the answer, and are part of
 * the completion. The vendor leaves zeros out, and has no price for writing its cache.
 */
export function readUsage(metadata: UsageMetadata | undefined): Usage | undefined {
  if (typeof metadata?.promptTokenCount !== 'number') return undefined
  const promptTokens = metadata.promptTokenCount + (metadata.toolUsePromptTokenCount ?? 0)
  const reasoningTokens = metadata.thoughtsTokenCount ?? 0
  return {
    promptTokens,
    cachedTokens: Math.min(metadata.cachedContentTokenCount ?? 0, promptTokens),
    cacheCreationTokens: 0,
    completionTokens: (metadata.candidatesTokenCount ?? 0) + reasoningTokens,
    reasoningTokens,
  }
}
