import { LRUCache } from 'lru-cache'
import type { Usage } from '../../schema/usage.ts'
import type { Produced } from './estimate-usage.ts'

/** The speed at which models think, learned from the vendors' counts of whole answers. Each process learns for itself. */
export interface ThinkingRates {
  /** Learns from a whole answer of the model with this catalogue ID. */
  learn(id: string, answer: { usage: Usage; produced: Produced }): void
  /**
   * Returns the usual number of thought tokens per millisecond between the call and the first text; undefined before the
   * first whole answer.
   */
  perMs(id: string): number | undefined
}

/** The running average of one model. */
interface Average {
  rate: number
  /** Tokens behind the average, with older ones discounted. */
  weight: number
}

/** Factor by which each answer reduces the weight of earlier ones, so that about the last hundred answers count. */
const decay = 0.99

/** Maximum number of models with an average. */
const maxModels = 1_000

/**
 * Opens the rates. An average is weighted by tokens, so that a client cannot lower it by many answers with few
 * thoughts.
 */
export function openThinkingRates(): ThinkingRates {
  const averages = new LRUCache<string, Average>({ max: maxModels })
  return {
    learn(id, { usage: { reasoningTokens: tokens }, produced }) {
      const { calledAt, firstTextAt, hadBackPressure } = produced
      if (tokens === 0 || hadBackPressure || calledAt === undefined || firstTextAt === undefined) return
      const rate = tokens / Math.max(firstTextAt - calledAt, 1)
      const earlier = averages.get(id) ?? { rate: 0, weight: 0 }
      const earlierWeight = earlier.weight * decay
      const weight = earlierWeight + tokens
      averages.set(id, { rate: (earlier.rate * earlierWeight + rate * tokens) / weight, weight })
    },
    perMs: id => averages.get(id)?.rate,
  }
}
