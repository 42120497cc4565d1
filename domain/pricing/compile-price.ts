import type { CatalogueEntry, ChatEntry, MediaEntry } from '../../schema/catalog/entry.ts'
import { type ChatPrice, compileChatPrice } from './compile-chat-price.ts'
import { compileMediaPrice, type MediaPrice } from './compile-media-price.ts'

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
