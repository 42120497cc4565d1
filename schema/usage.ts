/** What a chat request used, as every vendor's adapter reads it. Cached and created tokens are part of the prompt. */
export interface Usage {
  promptTokens: number
  cachedTokens: number
  cacheCreationTokens: number
  completionTokens: number
  /** Part of the completion. */
  reasoningTokens: number
}
