import { isText, type ModelList, type PriceList } from './lists.ts'
import { isGenaiPrices, readGenaiPrices } from './read-genai-prices.ts'
import { isLiteLlm, readLiteLlm } from './read-litellm.ts'
import { readLiteLlmMedia } from './read-litellm-media.ts'
import { isModelsDev, readModelsDev } from './read-models-dev.ts'
import type { TokenPrices } from './token-prices.ts'

/** Reads a list of models by its content. Throws an Error of one line if its format is unknown. */
export function chooseModelList(json: unknown, name: string): ModelList {
  if (isModelsDev(json)) return readModelsDev(json)
  if (isLiteLlm(json)) return readLiteLlmMedia(json)
  throw new Error(
    isGenaiPrices(json)
      ? `${name} has the format of genai-prices, which is only read to compare prices: see --compare`
      : `${name} is neither the api.json of models.dev nor LiteLLM's map of prices`,
  )
}

/** Reads a list of prices by its content. Throws an Error of one line if its format is unknown. */
export function choosePriceList(json: unknown, name: string): PriceList {
  if (isLiteLlm(json)) return readLiteLlm(json)
  if (isGenaiPrices(json)) return readGenaiPrices(json)
  if (isModelsDev(json)) return pricesOfModels(readModelsDev(json))
  throw new Error(`${name} has no known format: LiteLLM, genai-prices or models.dev`)
}

function pricesOfModels(list: ModelList): PriceList {
  const read = new Map<string, Map<string, TokenPrices>>()
  return {
    name: list.name,
    pricesOf({ provider, id }) {
      const known = read.get(provider)
      if (known) return known.get(id)
      const { models } = list.listingOf(provider)
      const prices = new Map(models.filter(isText).map(model => [model.id, model.prices]))
      read.set(provider, prices)
      return prices.get(id)
    },
  }
}
