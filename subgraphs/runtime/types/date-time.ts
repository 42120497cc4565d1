import { GraphQLScalarType, Kind } from 'graphql'
import { Problem } from '../../../schema/errors.ts'

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
