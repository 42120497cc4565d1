import type { MediaEntry } from '../../../schema/catalog/entry.ts'
import type { Condition } from '../../../schema/catalog/prices.ts'
import { parsePrice } from '../../pricing/parse-price.ts'
import type { Report } from '../reading/faults.ts'
import { checkCounted } from './check-counted.ts'
import { checkCoverage } from './check-coverage.ts'
import { valuesOf } from './values-of.ts'

/** Every price counts something that requests have, applies to some of them, and each request has exactly one rate. */
export function checkMediaPrices(entry: MediaEntry, report: Report): void {
  const { prices, parameters } = entry
  let sound = true
  for (const list of ['rates', 'surcharges'] as const) {
    prices[list].forEach(({ price, when = {} }, index) => {
      const place = ['prices', list, index]
      checkCounted(parsePrice(price).unit, parameters, fault => report([...place, 'price'], fault))
      for (const [name, message] of faultsOfCondition(when, entry)) {
        sound = false
        report([...place, 'when', name], message)
      }
    })
  }
  const units = new Set(prices.rates.map(({ price }) => parsePrice(price).unit))
  if (units.size > 1) report(['prices', 'rates'], `count different things: ${[...units].join(', ')}`)
  if (sound) checkCoverage(entry, report)
}

function faultsOfCondition(when: Condition, { parameters }: MediaEntry): [name: string, message: string][] {
  return Object.entries(when).flatMap(([name, wanted]): [string, string][] => {
    if (!(name in parameters.properties)) return [[name, 'the model has no such parameter']]
    const possible = valuesOf(parameters, name)
    if (!possible)
      return [[name, 'has no list of values: a price can depend on enum, boolean or a short integer range']]
    const never = [wanted].flat().filter(value => !possible.includes(value))
    return never.length > 0 ? [[name, `never is ${never.join(', ')}`]] : []
  })
}
