import type { TokenPrices } from './token-prices.ts'

/** A chat model of a public list that the catalogue can declare. */
export interface ListedModel {
  /** The vendor's name for it. */
  id: string
  name: string
  /** Its list prices. */
  prices: TokenPrices
  contextTokens: number
  outputTokens: number
  /** The kinds of input: `text`, `image`, `pdf`, `audio`, `video`. */
  reads: ReadonlySet<string>
  /** Whether audio costs more than text, which the catalogue's prices cannot say. */
  hasDearAudio: boolean
  tools: boolean
  /** Whether it accepts `temperature`. */
  sampling: boolean
  reasoning: ListedReasoning | undefined
}

/** The control of a model's reasoning: efforts by name, or a budget of tokens. */
export interface ListedReasoning {
  efforts?: readonly string[]
  budget?: { min: number; max: number }
}

/** A model of a public list that the catalogue cannot declare, and why. */
export interface UnlistedModel {
  id: string
  reason: string
}

/** The models of one vendor in a public list. */
export interface Listing {
  models: ListedModel[]
  unusable: UnlistedModel[]
}

/** A public list of models. */
export interface ModelList {
  name: 'models.dev'
  /** The list's names of vendors. */
  providers: ReadonlySet<string>
  /** Returns the models of a vendor that the list knows. */
  listingOf(provider: string): Listing
}

/** A second list of prices, with which the prices of the first are compared. */
export interface PriceList {
  name: 'litellm' | 'genai-prices' | 'models.dev'
  /**
   * Returns the prices of a model on a day (`2026-07-02`), or a text that says why they have none. Returns undefined if
   * the list does not have the model. `provider` is the vendor's name in models.dev.
   */
  pricesOf(model: { provider: string; id: string }, day: string): TokenPrices | string | undefined
}
