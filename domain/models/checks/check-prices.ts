import type { CatalogueEntry } from '../../../schema/catalog/entry.ts'
import { parsePrice } from '../../pricing/parse-price.ts'
import type { Report } from '../reading/faults.ts'
import { checkMediaPrices } from './check-media-prices.ts'
import { checkTokenPrices } from './check-token-prices.ts'

/** Every request that the model accepts has exactly one price, and that price can be read. */
export function checkPrices(entry: CatalogueEntry, report: Report): void {
  if (!canBeRead(entry, report)) return
  if (entry.modality === 'chat') checkTokenPrices(entry, report)
  else checkMediaPrices(entry, report)
}

function canBeRead({ prices }: CatalogueEntry, report: Report): boolean {
  let readable = true
  for (const list of ['rates', 'surcharges'] as const) {
    prices[list].forEach(({ price }, index) => {
      try {
        parsePrice(price)
      } catch (error) {
        readable = false
        report(['prices', list, index, 'price'], error instanceof Error ? error.message : String(error))
      }
    })
  }
  return readable
}
