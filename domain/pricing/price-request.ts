import type { CatalogueEntry, ChatEntry, MediaEntry } from '../../schema/catalog/entry.ts'
import { Problem } from '../../schema/errors.ts'
import type { Explanation } from './add-up.ts'
import { type ChatPrice, type ChatUsage, compileChatPrice } from './compile-chat-price.ts'
import { compileMediaPrice, type MediaParameters, type MediaPrice } from './compile-media-price.ts'

/**
 * Prepares an entry's prices, once per catalogue revision, so that pricing a request costs almost nothing.
 * Throws an Error for prices that cannot be read, which a checked entry does not have.
 */
export function compilePrice(entry: ChatEntry): ChatPrice
export function compilePrice(entry: MediaEntry): MediaPrice
export function compilePrice(entry: CatalogueEntry): ChatPrice | MediaPrice
export function compilePrice(entry: CatalogueEntry): ChatPrice | MediaPrice {
  return entry.modality === 'chat' ? compileChatPrice(entry.prices) : compileMediaPrice(entry)
}

/** What decides a request's price: the usage of a chat request, the parameters of any other. */
export type PricedRequest = { usage: ChatUsage } | { parameters: MediaParameters }

/**
 * Prices one request of any modality, and says why: `amountNanos` is exactly the sum of the terms.
 * Who prices many requests of one model keeps what `compilePrice` returns instead.
 * Throws `internal` when chat is priced by parameters, or media by usage.
 */
export function priceRequest(entry: CatalogueEntry, request: PricedRequest): Explanation {
  if (entry.modality === 'chat') {
    if ('usage' in request) return compileChatPrice(entry.prices).explain(request.usage)
  } else if ('parameters' in request) {
    return compileMediaPrice(entry).explain(request.parameters)
  }
  throw new Problem('internal', {
    internal: `${entry.id} is priced by ${entry.modality === 'chat' ? 'usage' : 'parameters'}`,
  })
}
