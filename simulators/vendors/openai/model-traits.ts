/** What a model can do follows from its name: `gpt-sim`, `o4-mini`, `reasoning-sim`, `atlas-thinker-2026-04`. */
export interface ModelTraits {
  /** Takes an effort and `max_completion_tokens`, and neither sampling nor `max_tokens`. */
  readonly isReasoning: boolean
  /** Thinks also where no effort is named. */
  readonly thinksUnasked: boolean
}

export function traitsOf(model: string): ModelTraits {
  const thinksUnasked = /^(o\d|reasoning-|atlas-(large|thinker))/.test(model)
  return { isReasoning: thinksUnasked || model.startsWith('gpt-5'), thinksUnasked }
}
