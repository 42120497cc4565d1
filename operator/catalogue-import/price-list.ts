import type { TokenPrices } from './token-prices.ts'

/** A second list of prices, with which the prices of the first are compared. */
export interface PriceList {
  name: 'litellm' | 'genai-prices' | 'models.dev'
  /**
   * Returns the prices of a model on a day (`2026-07-02`), or a text that says why they have none. Returns undefined if
   * the list does not have the model. `provider` is the vendor's name in models.dev.
   */
  pricesOf(model: { provider: string; id: string }, day: string): TokenPrices | string | undefined
}
