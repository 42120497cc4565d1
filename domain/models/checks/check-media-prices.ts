import type { MediaEntry, ParameterSchema } from '../../../schema/catalog/entry.ts'
import type { Condition, MediaRate } from '../../../schema/catalog/prices.ts'
import type { ValuePath } from '../../../schema/value-path.ts'
import { countedBy } from '../../pricing/compile-media-price.ts'
import { parsePrice, type Unit } from '../../pricing/parse-price.ts'
import { ratesByPath } from './check-periods.ts'
import type { Report } from './report.ts'

/** Checks that every price counts a value of the request and can apply, and that each request has exactly one rate. */
export function checkMediaPrices(entry: MediaEntry, report: Report): void {
  checkEach(entry, { path: ['prices', 'surcharges'], priced: entry.prices.surcharges }, report)
  for (const [path, rates] of ratesByPath(entry.prices)) {
    const areSound = checkEach(entry, { path, priced: rates }, report)
    const units = new Set(rates.map(({ price }) => parsePrice(price).unit))
    if (units.size > 1) report(path, `count different units: ${[...units].join(', ')}`)
    if (areSound)
      checkCoverage(entry.parameters, rates, (within, fault) => report([...path, ...within], fault))
  }
}

/** Checks each price of a list. Returns whether every condition can be met. */
function checkEach(
  entry: MediaEntry,
  { path, priced }: { path: ValuePath; priced: readonly MediaRate[] },
  report: Report,
): boolean {
  let areSound = true
  priced.forEach(({ price, when = {} }, index) => {
    checkCounted(parsePrice(price).unit, entry.parameters, fault => report([...path, index, 'price'], fault))
    for (const [name, message] of faultsOfCondition(when, entry)) {
      areSound = false
      report([...path, index, 'when', name], message)
    }
  })
  return areSound
}

function faultsOfCondition(when: Condition, { parameters }: MediaEntry): [name: string, message: string][] {
  return Object.entries(when).flatMap(([name, wanted]): [string, string][] => {
    if (!(name in parameters.properties)) return [[name, 'the model has no such parameter']]
    const possible = valuesOf(parameters, name)
    if (!possible)
      return [[name, 'has no list of values: a price can depend on enum, boolean or a short integer range']]
    const never = [wanted].flat().filter(value => !possible.includes(value))
    return never.length > 0 ? [[name, `does not allow ${never.join(', ')}`]] : []
  })
}

/** Checks that the unit of a price counts an integer parameter that every request has. */
function checkCounted(unit: Unit, parameters: ParameterSchema, report: (fault: string) => void): void {
  if (unit === 'token') report('media is not priced by tokens')
  const name = unit === 'token' ? undefined : countedBy[unit]
  if (name === undefined) return
  const field = parameters.properties[name]
  const required = parameters.required.includes(name)
  if (!field) {
    if (unit !== 'image') report(`counts ${name}, which the model does not have`)
  } else if (unit === 'character') {
    if (!required) report(`counts ${name}, which must be required`)
  } else if (unit !== 'input image') {
    if (!isWhole(field)) report(`counts ${name}, which must be an integer of at least 0`)
    if (!required && field.default === undefined) report(`counts ${name}, which needs a default`)
  }
}

function isWhole({ type, minimum, enum: listed }: Record<string, unknown>): boolean {
  if (Array.isArray(listed)) return listed.every(value => /^\d+$/.test(String(value)))
  return type === 'integer' && typeof minimum === 'number' && minimum >= 0
}

type Values = Readonly<Record<string, unknown>>

/** Maximum number of combinations that are checked: an entry from the graph must not keep the process busy. */
const maxCombinations = 10_000

/** Checks all combinations of the values that rates depend on. Each must have exactly one rate. */
function checkCoverage(parameters: ParameterSchema, rates: readonly MediaRate[], report: Report): void {
  const names = [...new Set(rates.flatMap(({ when = {} }) => Object.keys(when)))]
  const dimensions = names.map(name => [name, valuesOf(parameters, name) ?? []] as const)
  if (dimensions.reduce((count, [, values]) => count * values.length, 1) > maxCombinations) {
    report([], `depend on more than ${maxCombinations} combinations of values`)
    return
  }
  const uncovered: Values[] = []
  for (const values of combinations(dimensions)) {
    const [first, second] = rates.flatMap(({ when = {} }, index) => (applies(when, values) ? [index] : []))
    if (first === undefined) uncovered.push(values)
    if (second !== undefined) {
      report([second], `applies together with rates[${first}] to ${print(values)}`)
      return
    }
  }
  const [missing] = uncovered
  const others = uncovered.length > 1 ? `, nor to ${uncovered.length - 1} more` : ''
  if (missing) report([], `no rate applies to ${print(missing)}${others}`)
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
  const parts = Object.entries(values).map(([name, value]) => `${name} ${value ?? 'left out'}`)
  return parts.length > 0 ? parts.join(', ') : 'every request'
}

/** Maximum length of an integer range whose values are listed. */
const maxRangeLength = 1_000

/**
 * Returns every value that a parameter can have after defaults are applied, including `undefined` if it can be
 * omitted. Returns undefined if the values cannot be listed.
 */
function valuesOf({ properties, required }: ParameterSchema, name: string): unknown[] | undefined {
  const field = properties[name]
  const listed = field && listOf(field)
  if (!listed) return undefined
  const alwaysThere = required.includes(name) || field.default !== undefined
  return alwaysThere ? listed : [...listed, undefined]
}

function listOf({ enum: listed, type, minimum, maximum }: Record<string, unknown>): unknown[] | undefined {
  if (Array.isArray(listed)) return listed
  if (type === 'boolean') return [true, false]
  if (type !== 'integer' || typeof minimum !== 'number' || typeof maximum !== 'number') return undefined
  if (maximum - minimum > maxRangeLength) return undefined
  return Array.from({ length: maximum - minimum + 1 }, (_, index) => minimum + index)
}
