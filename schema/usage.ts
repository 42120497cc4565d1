/**
 * The token usage of a chat request, as reported by the vendor's adapter. Cached and cache-creation tokens are part of
 * the prompt.
 */
export interface Usage {
  promptTokens: number
  cachedTokens: number
  cacheCreationTokens: number
  completionTokens: number
  /** Part of the completion. */
  reasoningTokens: number
}

/** The usage of a request that was settled, and its charge. */
export interface ChargedUsage extends Usage {
  costNanos: bigint
}

/** The usage of a request that used nothing, or whose usage is unknown. */
export const noUsage: Usage = {
  promptTokens: 0,
  cachedTokens: 0,
  cacheCreationTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
}
