import type { TokenPrices } from './token-prices.ts'

/** A model of a public list that the catalogue can declare. */
export type ListedModel = ListedTextModel | ListedMedia

/** A chat or embedding model, whose prices are per token. */
export interface ListedTextModel {
  task: 'chat' | 'text-embedding'
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
  isAudioExtra: boolean
  tools: boolean
  /** Whether it accepts `temperature`. */
  sampling: boolean
  reasoning: ListedReasoning | undefined
  /** The service tiers whose prices are a percentage of all prices; absent if there are none. */
  serviceTiers?: readonly ListedServiceTier[]
}

/** The price of a service tier, in percent of the prices. */
export interface ListedServiceTier {
  tier: string
  percent: bigint
}

/** An image, video or speech model. */
export interface ListedMedia {
  task: 'text-to-image' | 'text-to-video' | 'text-to-speech'
  /** The vendor's name for it. */
  id: string
  name: string
  /** Its list prices in nano-dollars per image, second or character: one, or one for each quality and size. */
  prices: readonly ListedMediaPrice[]
  /** Whether the list also has a price for the tokens of a request, which the catalogue does not charge. */
  hasInputPrice: boolean
  /** The sizes that it makes, such as `1280x720`, as far as the list names them. */
  sizes: readonly string[]
}

/** The price of one unit of media. */
export interface ListedMediaPrice {
  /** In nano-dollars per unit, or per million units for characters. */
  nanos: bigint
  quality?: string
  size?: string
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
  name: 'models.dev' | 'litellm'
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

/** Whether a model reads text and is priced by tokens. */
export function isText(model: ListedModel): model is ListedTextModel {
  return model.task === 'chat' || model.task === 'text-embedding'
}
