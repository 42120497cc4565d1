import { LRUCache } from 'lru-cache'
import type { Usage } from '../../schema/usage.ts'
import type { Produced } from './estimate-usage.ts'

/** How fast models think, as their vendors count it: learned from whole answers, by this process alone. */
export interface ThinkingRates {
  /** Takes in a whole answer of the model with this catalogue ID. */
  learn(id: string, answer: { usage: Usage; produced: Produced }): void
  /**
   * The usual number of tokens of thought for each millisecond between the call and the first text; undefined
   * before the first whole answer.
   */
  perMs(id: string): number | undefined
}

/** The running average of one model. */
interface Average {
  rate: number
  /** Tokens that the average is made of, of which older ones count less. */
  weight: number
}

/** What remains of the weight of earlier answers after each new one: about the last hundred answers count. */
const decay = 0.99

/** The most models with an average. */
const maxModels = 1_000

/**
 * Opens the rates. An average is weighted by tokens, so that a client cannot lower it by many answers with
 * hardly a thought.
 */
export function openThinkingRates(): ThinkingRates {
  const averages = new LRUCache<string, Average>({ max: maxModels })
  return {
    learn(id, { usage: { reasoningTokens: tokens }, produced }) {
      const { calledAt, firstSaidAt, wasHeldBack } = produced
      if (tokens === 0 || wasHeldBack || calledAt === undefined || firstSaidAt === undefined) return
      const rate = tokens / Math.max(firstSaidAt - calledAt, 1)
      const earlier = averages.get(id) ?? { rate: 0, weight: 0 }
      const earlierWeight = earlier.weight * decay
      const weight = earlierWeight + tokens
      averages.set(id, { rate: (earlier.rate * earlierWeight + rate * tokens) / weight, weight })
    },
    perMs: id => averages.get(id)?.rate,
  }
}
