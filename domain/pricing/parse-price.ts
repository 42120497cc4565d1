import { decimalText } from '../../platform/money.ts'

/**
 * Prices are parsed into atto-dollars (1e-18 USD) per single unit. The smallest price that can be written,
 * nine decimals per million tokens, is 1,000 attos per token: an integer, and so is every percentage of it.
 * Charges are sums of such integers, rounded up once to nano-dollars.
 */
export const ATTOS_PER_NANO = 10n ** 9n

/** The units of prices. */
export const units = ['token', 'character', 'second', 'image', 'input image', 'video', 'track'] as const
export type Unit = (typeof units)[number]

/** A price per single unit. */
export interface Price {
  unit: Unit
  /** The number of units to which the written amount applies: a million in `2.50 per 1M tokens`. */
  per: bigint
  /** Atto-dollars per single unit. */
  attosPerUnit: bigint
}

const shape = /^(\d{1,9})(?:\.(\d{1,9}))? per (?:1([KM]) )?([a-z ]+)$/
const multiples: Record<string, bigint> = { K: 1_000n, M: 1_000_000n }

/**
 * Parses `0.15 per second` or `2.50 per 1M tokens` exactly: dollars with up to nine decimals. Throws an Error that
 * states the fault of the text.
 */
export function parsePrice(text: string): Price {
  const [, whole, decimals = '', multiple, noun] = shape.exec(text) ?? []
  if (whole === undefined || noun === undefined) {
    throw new Error(`"${text}" is not a price: write it like 0.15 per second, or 2.50 per 1M tokens`)
  }
  const written = (name: Unit) => (multiple === undefined ? name : `${name}s`)
  const unit = units.find(candidate => written(candidate) === noun)
  if (!unit) throw new Error(`"${noun}" is not a unit of prices: ${units.map(written).join(', ')}`)
  const per = multiple === undefined ? 1n : multiples[multiple]!
  return { unit, per, attosPerUnit: (BigInt(whole + decimals.padEnd(9, '0')) * ATTOS_PER_NANO) / per }
}

/** Prints a price in the form that `parsePrice` parses, without trailing zeros. */
export function printPrice(price: Price): string {
  return `${printDollars(price.attosPerUnit * price.per)} per ${printUnit(price)}`
}

/** Prints the unit of a price: `second`, `1M tokens`. */
export function printUnit({ unit, per }: Pick<Price, 'unit' | 'per'>): string {
  if (per === 1n) return unit
  return `1${per === multiples.K ? 'K' : 'M'} ${unit}s`
}

/** Prints atto-dollars as exact decimal dollars: 85000000000000000n is `0.085`. */
export function printDollars(amountAttos: bigint): string {
  return decimalText(amountAttos, 18)
}

/** Parses the discount on a list price: 15n for `15 %`, 0n if there is none. */
export function parseDiscount(text: string | undefined): bigint {
  if (text === undefined) return 0n
  const [, percent] = /^([1-9][0-9]?) %$/.exec(text) ?? []
  if (percent === undefined) throw new Error(`"${text}" is not a discount: write it like 15 %`)
  return BigInt(percent)
}
