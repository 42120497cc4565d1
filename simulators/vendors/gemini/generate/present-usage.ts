import type { UsageMetadata } from '../../../../upstreams/formats/gemini/wire.ts'
import type { Usage } from '../../model/reply.ts'

/** The usage once so many tokens of the answer are out; the vendor leaves zeros away. */
export function presentUsage(usage: Usage, candidatesTokens: number): UsageMetadata {
  const { promptTokens, cachedTokens, reasoningTokens } = usage
  return {
    promptTokenCount: promptTokens,
    ...(candidatesTokens > 0 && { candidatesTokenCount: candidatesTokens }),
    totalTokenCount: promptTokens + candidatesTokens + reasoningTokens,
    ...(cachedTokens > 0 && {
      cachedContentTokenCount: cachedTokens,
      cacheTokensDetails: [{ modality: 'TEXT', tokenCount: cachedTokens }],
    }),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: promptTokens }],
    ...(reasoningTokens > 0 && { thoughtsTokenCount: reasoningTokens }),
  }
}
