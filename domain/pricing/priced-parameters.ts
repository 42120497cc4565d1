import type { CatalogueEntry } from '../../schema/catalog/entry.ts'
import { countedBy } from './compile-media-price.ts'
import { parsePrice } from './parse-price.ts'
import { periodsOf } from './price-periods.ts'

/**
 * Returns the names of the parameters on which the price of an image, video or audio request depends, in the order of
 * the model's parameters. Empty for chat models, whose price depends on tokens.
 */
export function pricedParameters({ modality, prices, parameters }: CatalogueEntry): string[] {
  if (modality === 'chat') return []
  const rates = periodsOf(prices).flatMap(period => period.rates)
  const names = new Set<string | undefined>()
  for (const { price, when = {} } of [...rates, ...prices.surcharges]) {
    const { unit } = parsePrice(price)
    if (unit !== 'token') names.add(countedBy[unit])
    for (const name of Object.keys(when)) names.add(name)
  }
  return Object.keys(parameters.properties).filter(name => names.has(name))
}
