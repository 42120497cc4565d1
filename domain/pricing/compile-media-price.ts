import type { MediaEntry } from '../../schema/catalog/entry.ts'
import type { Condition, MediaPeriod } from '../../schema/catalog/prices.ts'
import { Problem } from '../../schema/errors.ts'
import { type Bill, calculatePrice, type Explanation, explain, type PriceTerm } from './calculate-price.ts'
import { parseDiscount, parsePrice, type Unit } from './parse-price.ts'
import { printPeriod } from './price-periods.ts'

/** The parameters of a request, valid against the model's schema. Omitted parameters have their defaults. */
export type MediaParameters = Readonly<Record<string, unknown>>

/** The prices of one image, video or audio model. */
export interface MediaPrice {
  /** Returns the price of a request in nano-dollars, before it runs. */
  price(parameters: MediaParameters): bigint
  /** Returns the same price with its terms. */
  explain(parameters: MediaParameters): Explanation
}

/**
 * Compiles the prices of an image, video or audio model in one period once. By default, the prices have no periods. One
 * rate applies to a request, and any number of surcharges.
 */
export function compileMediaPrice(
  { id, modality, prices, parameters }: MediaEntry,
  period: MediaPeriod = { rates: prices.rates },
): MediaPrice {
  const discountPercent = parseDiscount(prices.discount)
  const valueIn = (given: MediaParameters, name: string) =>
    given[name] ?? parameters.properties[name]?.default
  const charge = (label: string, { price, when = {} }: { price: string; when?: Condition | undefined }) => ({
    term: termOf(label, price, valueIn),
    applies: conditionOf(when, valueIn),
  })
  const rates = period.rates.map(rate => charge(modality, rate))
  const printedPeriod = printPeriod(period)
  const surcharges = prices.surcharges.map(surcharge => charge(surcharge.of, surcharge))

  const billFor = (given: MediaParameters): Bill<MediaParameters> => {
    const rate = rates.find(({ applies }) => applies(given))
    if (!rate) throw new Problem('internal', { internal: `no rate of ${id} applies` })
    const extras = surcharges.filter(({ applies }) => applies(given))
    return { discountPercent, terms: [rate, ...extras].map(({ term }) => term), period: printedPeriod }
  }
  return {
    price: given => calculatePrice(billFor(given), given),
    explain: given => explain(billFor(given), given),
  }
}

type ValueIn = (given: MediaParameters, name: string) => unknown

function termOf(label: string, price: string, valueIn: ValueIn): PriceTerm<MediaParameters> {
  const { unit, attosPerUnit } = parsePrice(price)
  if (unit === 'token') throw new Error(`${price}: media is not priced by tokens`)
  const parameter = countedBy[unit]
  const quantity = (given: MediaParameters) => measure(unit, parameter && valueIn(given, parameter))
  return { label, unit, attosPerUnit, quantity }
}

function conditionOf(when: Condition, valueIn: ValueIn): (given: MediaParameters) => boolean {
  const wanted = Object.entries(when).map(([name, values]) => ({
    name,
    values: new Set<unknown>([values].flat()),
  }))
  return given => wanted.every(({ name, values }) => values.has(valueIn(given, name)))
}

type MediaUnit = Exclude<Unit, 'token'>

/** The parameter that counts each unit. A unit without a parameter counts once per request. */
export const countedBy: Record<MediaUnit, string | undefined> = {
  second: 'duration',
  image: 'n',
  character: 'input',
  'input image': 'image_urls',
  video: undefined,
  track: undefined,
}

/**
 * Returns the number of units in a request. `value` is the parameter that counts the unit. Throws `invalid_request`
 * if it is not an integer, which the model's schema excludes.
 */
function measure(unit: MediaUnit, value: unknown): number {
  switch (unit) {
    case 'second':
      return whole(value)
    case 'image':
      return value === undefined ? 1 : whole(value)
    case 'character':
      return charactersOf(value)
    case 'input image':
      return Array.isArray(value) ? value.length : 0
    default:
      return 1
  }
}

/** Reads a whole number, which can be text: some models accept `duration: "6"`. */
function whole(value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number
  throw new Problem('invalid_request', {
    message: 'The request cannot be priced.',
    internal: `${value} is not a count`,
  })
}

/** Counts characters like vendors do: Unicode code points, not UTF-16 units. */
function charactersOf(value: unknown): number {
  let count = 0
  if (typeof value === 'string') for (const _ of value) count++
  return count
}
