/** What a chat request used, as every vendor's adapter reads it. Cached and created tokens are part of the prompt. */
export interface Usage {
  promptTokens: number
  cachedTokens: number
  cacheCreationTokens: number
  completionTokens: number
  /** Part of the completion. */
  reasoningTokens: number
}

/** Of a request that used nothing, or of which nothing is known. */
export const noUsage: Usage = {
  promptTokens: 0,
  cachedTokens: 0,
  cacheCreationTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
}
