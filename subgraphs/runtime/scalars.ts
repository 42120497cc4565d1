import 'reflect-metadata' // before the first decorator of type-graphql is applied
import { GraphQLScalarType, Kind, valueFromASTUntyped } from 'graphql'
import { decimalDollars, nanos, nanosOfDecimal } from '../../platform/money.ts'
import { Problem } from '../../schema/errors.ts'

/** A whole number of at most 53 bits, because GraphQL's Int has only 32. It also serializes `bigint` counts. */
export const Count = new GraphQLScalarType<number, number>({
  name: 'Count',
  description: 'A whole number from -(2^53 - 1) to 2^53 - 1.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-6',
  serialize: Number,
  parseValue: parseCount,
  parseLiteral: node => parseCount(node.kind === Kind.INT ? Number(node.value) : undefined),
})

function parseCount(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw new Problem('validation_failed', {
    message: 'The value must be a whole number of at most 9007199254740991.',
  })
}

/** A time. Input is ISO 8601 with an offset; output is in UTC with milliseconds. */
export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description:
    'A time in ISO 8601, for example `2026-11-20T08:00:00.000Z`. Output is in UTC. Input needs an offset.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: value => (value instanceof Date ? value : new Date(String(value))).toISOString(),
  parseValue: parseInstant,
  parseLiteral: node => parseInstant(node.kind === Kind.STRING ? node.value : undefined),
})

const instant = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/

function parseInstant(value: unknown): Date {
  const [text, day = ''] = typeof value === 'string' ? (instant.exec(value) ?? []) : []
  const date = text !== undefined && isDay(day) ? new Date(text) : undefined
  if (date && !Number.isNaN(date.getTime()) && isKeepable(date)) return date
  throw new Problem('validation_failed', {
    message: 'A time must be in ISO 8601 with an offset, for example 2026-11-20T08:00:00Z.',
  })
}

/** A UTC day, as text. */
export const Day = new GraphQLScalarType<string, string>({
  name: 'Date',
  description: 'A UTC day in ISO 8601, for example `2026-11-20`.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  serialize: String,
  parseValue: parseDay,
  parseLiteral: node => parseDay(node.kind === Kind.STRING ? node.value : undefined),
})

function parseDay(value: unknown): string {
  if (typeof value === 'string' && /^(?!0000)\d{4}-\d\d-\d\d$/.test(value) && isDay(value)) return value
  throw new Problem('validation_failed', { message: 'A day must be in ISO 8601, for example 2026-11-20.' })
}

/** Returns whether the day exists. JavaScript parses 31 February as 3 March. */
function isDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}

/** Returns whether Postgres can store the time: years 1 to 9999. An offset can move a time out of this range. */
function isKeepable(date: Date): boolean {
  const year = date.getUTCFullYear()
  return year >= 1 && year <= 9999
}

/**
 * An amount of money: decimal text in the graph, so that no client loses digits, and a bigint of nano-dollars inside.
 * JSON numbers are also accepted.
 */
export const Money = new GraphQLScalarType<bigint, string>({
  name: 'Money',
  description:
    'An amount in US dollars as decimal text with up to nine decimal places, for example `"12.5"`. Input can also be a JSON number.',
  specifiedByURL: 'https://www.w3.org/TR/xmlschema11-2/#decimal',
  serialize: value => {
    if (typeof value === 'bigint') return decimalDollars(value)
    throw new TypeError('Money must be serialized from nano-dollars')
  },
  parseValue: parseMoney,
  parseLiteral: node => {
    if (node.kind === Kind.STRING) return parseMoney(node.value)
    return parseMoney(node.kind === Kind.INT || node.kind === Kind.FLOAT ? Number(node.value) : undefined)
  },
})

/** Error message for an invalid amount. */
export const moneyRule =
  'An amount must be a number of dollars below 1000000000000000, with at most nine decimal places.'

function parseMoney(value: unknown): bigint {
  const amountNanos = nanosOf(value)
  if (amountNanos !== undefined) return amountNanos
  throw new Problem('validation_failed', { message: moneyRule })
}

function nanosOf(value: unknown): bigint | undefined {
  if (typeof value === 'string') return nanosOfDecimal(value)
  return typeof value === 'number' ? nanos(value) : undefined
}

/**
 * A price per unit, in US dollars. It can have more decimal places than `Money`, because discounted prices of tokens
 * need them. Output only.
 */
export const Rate = new GraphQLScalarType<number, string>({
  name: 'Rate',
  description:
    'A price per unit, in US dollars as decimal text with any number of decimal places, for example `"0.0000015"`.',
  specifiedByURL: 'https://www.w3.org/TR/xmlschema11-2/#decimal',
  serialize: value => {
    if (typeof value === 'number' && Number.isFinite(value)) return decimalText(value)
    throw new TypeError('A rate must be serialized from a number of dollars')
  },
})

/** Formats a number as decimal text without an exponent: 1.5e-7 is `0.00000015`. */
function decimalText(value: number): string {
  const [mantissa = '', exponent] = String(Math.abs(value)).split('e')
  const sign = value < 0 ? '-' : ''
  if (exponent === undefined) return sign + mantissa
  const [whole = '', fraction = ''] = mantissa.split('.')
  const places = Number(exponent)
  if (places < 0) return `${sign}0.${'0'.repeat(-places - 1)}${whole}${fraction}`
  return sign + (whole + fraction).padEnd(places + 1, '0')
}

/** Any JSON value, passed through unchanged. */
export const Json = new GraphQLScalarType({
  name: 'JSON',
  description: 'Any JSON value.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  parseValue: value => value,
  parseLiteral: valueFromASTUntyped,
})
