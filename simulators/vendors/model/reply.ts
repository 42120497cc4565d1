/** What a model answered, for a wire format to present. */
export interface Reply {
  readonly candidates: readonly Candidate[]
  /** Undefined where a fault leaves it out. */
  readonly usage: Usage | undefined
}

export interface Candidate {
  /** Empty where tools are called. */
  readonly text: string
  readonly calls: readonly MadeCall[]
  readonly finish: 'stop' | 'length' | 'calls'
}

export interface MadeCall {
  readonly name: string
  /** The arguments as JSON text, which the token limit may have cut short. */
  readonly arguments: string
}

export interface Usage {
  /** The whole prompt, the cached part included. */
  readonly promptTokens: number
  readonly cachedTokens: number
  /** Of the prompt, what this call put into the cache. */
  readonly cacheWriteTokens: number
  /** Of all candidates, reasoning included. */
  readonly outputTokens: number
  readonly reasoningTokens: number
}
