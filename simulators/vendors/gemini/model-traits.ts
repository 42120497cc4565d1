/** What a model can do follows from its name, whose first number is its generation: `prism-3-pro`, `gemini-2.5-flash`. */
export interface ModelTraits {
  readonly isMissing: boolean
  /** Since 3: calls of tools have ids and signatures, and thinking has levels. Before, JSON and tools exclude each other. */
  readonly isSigning: boolean
}

export function traitsOf(model: string): ModelTraits {
  const generation = Number(/-(\d+)/.exec(model)?.[1] ?? 3)
  return { isMissing: model.startsWith('missing-'), isSigning: generation >= 3 }
}
