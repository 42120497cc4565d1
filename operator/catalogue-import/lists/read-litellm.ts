import { isRecord } from '../../../platform/checks.ts'
import type { PriceList } from './lists.ts'
import { nanosPerMillion, type PriceTier, type TokenPrices } from './token-prices.ts'

/** LiteLLM's names of vendors that models.dev calls by another name. */
export const providerNames: Readonly<Record<string, string>> = { google: 'gemini' }

/** Returns whether JSON has the format of LiteLLM's `model_prices_and_context_window.json`. */
export function isLiteLlm(json: unknown): boolean {
  return isRecord(json) && Object.values(json).some(model => isRecord(model) && 'litellm_provider' in model)
}

/** Reads LiteLLM's map of prices, whose numbers are decimal text (`parseDecimalJson`). */
export function readLiteLlm(json: unknown): PriceList {
  const models = new Map(Object.entries(isRecord(json) ? json : {}))
  return {
    name: 'litellm',
    pricesOf({ provider, id }) {
      const vendor = providerNames[provider] ?? provider
      const found = [models.get(`${vendor}/${id}`), models.get(id)].find(
        model => isRecord(model) && model.litellm_provider === vendor,
      )
      return isRecord(found) ? readPrices(found) : undefined
    },
  }
}

/** LiteLLM's fields for each kind of token, in dollars per token. `_above_200k_tokens` after them is a tier. */
const fields = {
  input: 'input_cost_per_token',
  output: 'output_cost_per_token',
  cache_read: 'cache_read_input_token_cost',
  cache_write: 'cache_creation_input_token_cost',
} as const

function readPrices(model: Record<string, unknown>): TokenPrices | undefined {
  const names = Object.keys(model).map(name => /^input_cost_per_token_above_(\d+)k_tokens$/.exec(name)?.[1])
  const thousands = names.filter(name => name !== undefined).sort((a, b) => Number(a) - Number(b))
  const tiers = [undefined, ...thousands].map(above => readTier(model, above))
  const read = tiers.filter(tier => tier !== undefined)
  return read.length === tiers.length ? read : undefined
}

function readTier(model: Record<string, unknown>, thousands: string | undefined): PriceTier | undefined {
  const suffix = thousands === undefined ? '' : `_above_${thousands}k_tokens`
  const price = (kind: keyof typeof fields) => nanosPerMillion(model[fields[kind] + suffix], 1)
  const [input, output] = [price('input'), price('output')]
  if (input === undefined || output === undefined) return undefined
  const above = Number(thousands ?? 0) * 1_000
  return { above, input, output, cache_read: price('cache_read'), cache_write: price('cache_write') }
}
