import type { CatalogueEntry, ChatEntry } from '../../../schema/catalog/entry.ts'
import { tokenKinds } from '../../../schema/catalog/prices.ts'
import { readTokenTiers, type TokenTier } from '../../pricing/compile-chat-price.ts'
import { parsePrice } from '../../pricing/parse-price.ts'
import { checkMediaPrices } from './check-media-prices.ts'
import type { Report } from './report.ts'

/** Checks that every accepted request has exactly one price, and that the price can be parsed. */
export function checkPrices(entry: CatalogueEntry, report: Report): void {
  if (!canBeParsed(entry, report)) return
  if (entry.modality === 'chat') checkTokenPrices(entry, report)
  else checkMediaPrices(entry, report)
}

function canBeParsed({ prices }: CatalogueEntry, report: Report): boolean {
  let isParsed = true
  for (const list of ['rates', 'surcharges'] as const) {
    prices[list].forEach(({ price }, index) => {
      try {
        parsePrice(price)
      } catch (error) {
        isParsed = false
        report(['prices', list, index, 'price'], error instanceof Error ? error.message : String(error))
      }
    })
  }
  return isParsed
}

/**
 * Checks that input and output have a price, and each kind of token at most one per tier. Higher usage must never
 * cost less, so a longer prompt must not be cheaper, a cache read not more expensive than input, and a cache write
 * not cheaper.
 */
function checkTokenPrices({ chat, prices }: ChatEntry, report: Report): void {
  const seen = new Set<string>()
  prices.rates.forEach(({ of, price, above_prompt_tokens: above }, index) => {
    const key = `${of} ${above}`
    if (seen.has(key)) report(['prices', 'rates', index, 'of'], `${of} has a price already`)
    seen.add(key)
    if (parsePrice(price).unit !== 'token') report(['prices', 'rates', index, 'price'], 'must be per tokens')
    if (above !== undefined && above >= chat.context_tokens) {
      report(
        ['prices', 'rates', index, 'above_prompt_tokens'],
        `no prompt is longer than ${chat.context_tokens}`,
      )
    }
  })
  prices.surcharges.forEach(({ price }, index) => {
    if (parsePrice(price).unit !== 'input image') {
      report(
        ['prices', 'surcharges', index, 'price'],
        'must be per input image, the only unit counted in a chat',
      )
    }
  })
  const missing = (['input', 'output'] as const).filter(kind => !seen.has(`${kind} undefined`))
  for (const kind of missing) report(['prices', 'rates'], `${kind} tokens have no price`)
  if (missing.length > 0) return
  checkOrder(readTokenTiers(prices.rates), message => report(['prices', 'rates'], message))
}

function checkOrder(tiers: readonly TokenTier[], report: (message: string) => void): void {
  tiers.forEach(({ above, attos }, index) => {
    const where = Number.isFinite(above) ? ` above ${above} prompt tokens` : ''
    if (attos.cache_read > attos.input) report(`cache_read is more expensive than input${where}`)
    if (attos.cache_write < attos.input) report(`cache_write is cheaper than input${where}`)
    const below = tiers[index + 1]
    for (const kind of below ? tokenKinds : []) {
      if (below && attos[kind] < below.attos[kind]) report(`${kind} is cheaper${where} than below`)
    }
  })
}
