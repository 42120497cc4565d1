import 'reflect-metadata' // before the first decorator of type-graphql is applied
import { GraphQLScalarType, Kind, valueFromASTUntyped } from 'graphql'
import { dollars, nanos } from '../../platform/money.ts'
import { Problem } from '../../schema/errors.ts'

/**
 * A whole number up to 2^53 - 1: what GraphQL's own Int (31 bits) is too small for. Also for `bigint` counts.
 */
export const Count = new GraphQLScalarType<number, number>({
  name: 'Count',
  description: 'A whole number up to 2^53 - 1.',
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

/** An instant: ISO 8601 with its offset on the way in, UTC with milliseconds on the way out. */
export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'An instant as ISO 8601, e.g. 2026-11-20T08:00:00.000Z.',
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
    message: 'A time must be ISO 8601 with its offset, e.g. 2026-11-20T08:00:00Z.',
  })
}

/** JavaScript takes 31 February for 3 March. */
function isDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}

/** Years of four digits from 1 on are what Postgres reads; an offset can lead out of them. */
function isKeepable(date: Date): boolean {
  const year = date.getUTCFullYear()
  return year >= 1 && year <= 9999
}

/** Money: a JSON number of dollars at the border, a bigint of nano-dollars inside. */
export const Dollars = new GraphQLScalarType<bigint, number>({
  name: 'Dollars',
  description: 'An amount in US dollars, exact to nine decimals.',
  serialize: value => {
    if (typeof value === 'bigint') return dollars(value)
    throw new TypeError('Dollars are presented from nano-dollars')
  },
  parseValue: parseDollars,
  parseLiteral: node =>
    parseDollars(node.kind === Kind.INT || node.kind === Kind.FLOAT ? Number(node.value) : undefined),
})

function parseDollars(value: unknown): bigint {
  const amountNanos = typeof value === 'number' ? nanos(value) : undefined
  if (amountNanos !== undefined) return amountNanos
  throw new Problem('validation_failed', {
    message: 'An amount must be a number of dollars below 1000000000000000, with at most nine decimals.',
  })
}

/** Any JSON value, passed as it is. */
export const Json = new GraphQLScalarType({
  name: 'JSON',
  description: 'Any JSON value.',
  parseValue: value => value,
  parseLiteral: valueFromASTUntyped,
})
