import type { CatalogueEntry } from '../../schema/catalog/entry.ts'
import { Problem } from '../../schema/errors.ts'
import type { Explanation } from './calculate-price.ts'
import { type ChatUsage, compileChatPrice } from './compile-chat-price.ts'
import { compileMediaPrice, type MediaParameters } from './compile-media-price.ts'

/** What determines the price of a request: the usage of a chat request, the parameters of any other. */
export type PricedRequest = { usage: ChatUsage } | { parameters: MediaParameters }

/**
 * Prices one request of any modality, and explains the price. To price many requests of one model, compile
 * its prices once (`compileChatPrice`, `compileMediaPrice`). Throws `internal` when chat is priced by
 * parameters, or media by usage.
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
