import { isRecord, type Json, type JsonRecord } from '../../json.ts'
import { refuse } from '../refuse.ts'

/** An object of the request and the address that errors give of it: `messages.0`, or nothing at the top. */
export interface Fields {
  readonly values: JsonRecord
  readonly at: string
}

/** How errors spell a field: `messages.0.content`. */
export function address({ at }: Fields, name: string | number): string {
  return at === '' ? String(name) : `${at}.${name}`
}

export function refuseField(at: string, message: string) {
  return refuse(400, `${at}: ${message}`)
}

/** The value as an object with an address of its own. */
export function asFields(value: Json | undefined, at: string): Fields {
  if (value === undefined) throw refuseField(at, 'Field required')
  if (!isRecord(value)) throw refuseField(at, 'Input should be an object')
  return { values: value, at }
}

/** Refuses the first name that the vendor does not know. */
export function refuseUnknownNames(fields: Fields, known: readonly string[]): void {
  for (const name in fields.values) {
    if (!known.includes(name)) throw refuseField(address(fields, name), 'Extra inputs are not permitted')
  }
}

export function readText(fields: Fields, name: string): string {
  const text = readOptionalText(fields, name)
  if (text === undefined) throw refuseField(address(fields, name), 'Field required')
  return text
}

export function readOptionalText(fields: Fields, name: string): string | undefined {
  const value = fields.values[name]
  if (value === undefined || typeof value === 'string') return value
  throw refuseField(address(fields, name), 'Input should be a valid string')
}

export function readBoolean(fields: Fields, name: string): boolean | undefined {
  const value = fields.values[name]
  if (value === undefined || typeof value === 'boolean') return value
  throw refuseField(address(fields, name), 'Input should be a valid boolean')
}

export function readNumber(
  fields: Fields,
  name: string,
  { least, most = Infinity, isWhole = false }: { least: number; most?: number; isWhole?: boolean },
): number | undefined {
  const value = fields.values[name]
  if (value === undefined) return undefined
  const at = address(fields, name)
  if (typeof value !== 'number') throw refuseField(at, 'Input should be a valid number')
  if (isWhole && !Number.isInteger(value)) throw refuseField(at, 'Input should be a valid integer')
  if (value < least) throw refuseField(at, `Input should be greater than or equal to ${least}`)
  if (value > most) throw refuseField(at, `Input should be less than or equal to ${most}`)
  return value
}

export function readRecord(fields: Fields, name: string): Fields | undefined {
  const value = fields.values[name]
  return value === undefined ? undefined : asFields(value, address(fields, name))
}

/** Where null means the same as nothing. */
export function readNullableRecord(fields: Fields, name: string): Fields | undefined {
  return fields.values[name] === null ? undefined : readRecord(fields, name)
}

export function readList(fields: Fields, name: string): Json[] | undefined {
  const value = fields.values[name]
  if (value === undefined || Array.isArray(value)) return value
  throw refuseField(address(fields, name), 'Input should be a valid list')
}

export function readChoice<Word extends string>(fields: Fields, name: string, words: readonly Word[]): Word {
  const value = fields.values[name]
  const at = address(fields, name)
  if (value === undefined) throw refuseField(at, 'Field required')
  const chosen = words.find(word => word === value)
  if (chosen === undefined)
    throw refuseField(at, `Input should be ${words.map(word => `'${word}'`).join(' or ')}`)
  return chosen
}
