import type { Usage } from '../../../../schema/usage.ts'
import { countOf } from '../../shared/answer/read-shape.ts'
import type { UsageMetadata } from '../wire.ts'

/**
 * The vendor's usage. Cached tokens are part of the prompt; thoughts are counted beside the answer, and are part of
 * the completion. The vendor leaves zeros out, and has no price for writing its cache.
 */
export function readUsage(metadata: UsageMetadata | undefined): Usage | undefined {
  if (typeof metadata?.promptTokenCount !== 'number') return undefined
  const promptTokens = metadata.promptTokenCount + countOf(metadata.toolUsePromptTokenCount)
  const reasoningTokens = countOf(metadata.thoughtsTokenCount)
  return {
    promptTokens,
    cachedTokens: Math.min(countOf(metadata.cachedContentTokenCount), promptTokens),
    cacheCreationTokens: 0,
    completionTokens: countOf(metadata.candidatesTokenCount) + reasoningTokens,
    reasoningTokens,
  }
}
