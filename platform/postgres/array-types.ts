import type postgres from 'postgres'

/**
 * One-dimensional arrays by their types in Postgres, which never change. The driver would query them on each new
 * connection, and end the process with an uncatchable exception if that connection is lost during the query.
 */
export const arrayTypes: Record<string, postgres.PostgresType> = {
  booleans: arrayOf(1000, text => text === 't'),
  integers: arrayOf(1007, Number),
  texts: arrayOf(1009, String),
  names: arrayOf(1015, String),
  bigints: arrayOf(1016, BigInt),
  doubles: arrayOf(1022, Number),
  times: arrayOf(1185, text => new Date(text)),
  numerics: arrayOf(1231, String),
  uuids: arrayOf(2951, String),
}

function arrayOf<Value>(type: number, parseValue: (text: string) => Value): postgres.PostgresType {
  return {
    to: type,
    from: [type],
    serialize: (values: unknown) => (Array.isArray(values) ? arrayText(values) : values),
    parse: (text: string) => parseArray(text, parseValue),
  }
}

function arrayText(values: readonly unknown[]): string {
  return `{${values.map(elementText).join(',')}}`
}

function elementText(value: unknown): string {
  if (value === undefined) throw new Error('an array to bind has an undefined value')
  if (value === null) return 'null'
  const text = value instanceof Date ? value.toISOString() : String(value)
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

const elements = /"((?:[^"\\]|\\.)*)"|([^{},"]+)/gs

function parseArray<Value>(text: string, parseValue: (text: string) => Value): (Value | null)[] {
  if (text === '{}') return [] // the array types of most columns
  return Array.from(text.matchAll(elements), ([, quoted, plain = '']) => {
    if (quoted !== undefined) return parseValue(quoted.replace(/\\(.)/gs, '$1'))
    return plain === 'NULL' ? null : parseValue(plain)
  })
}
