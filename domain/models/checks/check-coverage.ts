import type { MediaEntry } from '../../../schema/catalog/entry.ts'
import type { Condition } from '../../../schema/catalog/prices.ts'
import type { Report } from '../reading/faults.ts'
import { valuesOf } from './values-of.ts'

type Values = Readonly<Record<string, unknown>>

/** Goes through every combination of the values that rates depend on: each has exactly one rate. */
export function checkCoverage({ prices, parameters }: MediaEntry, report: Report): void {
  const names = [...new Set(prices.rates.flatMap(({ when = {} }) => Object.keys(when)))]
  const uncovered: Values[] = []
  for (const values of combinations(names.map(name => [name, valuesOf(parameters, name) ?? []]))) {
    const [first, second] = prices.rates.flatMap(({ when = {} }, index) =>
      applies(when, values) ? [index] : [],
    )
    if (first === undefined) uncovered.push(values)
    if (second !== undefined) {
      report(['prices', 'rates', second], `applies together with rates[${first}] to ${print(values)}`)
      return
    }
  }
  const [missing] = uncovered
  const others = uncovered.length > 1 ? `, nor to ${uncovered.length - 1} more` : ''
  if (missing) report(['prices', 'rates'], `no rate applies to ${print(missing)}${others}`)
}

function combinations(dimensions: readonly (readonly [string, readonly unknown[]])[]): Values[] {
  return dimensions.reduce<Values[]>(
    (all, [name, values]) => all.flatMap(known => values.map(value => ({ ...known, [name]: value }))),
    [{}],
  )
}

function applies(when: Condition, values: Values): boolean {
  return Object.entries(when).every(([name, wanted]) => new Set<unknown>([wanted].flat()).has(values[name]))
}

function print(values: Values): string {
  const words = Object.entries(values).map(([name, value]) => `${name} ${value ?? 'left out'}`)
  return words.length > 0 ? words.join(', ') : 'every request'
}
