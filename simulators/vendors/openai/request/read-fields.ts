import { isRecord, type Json, type JsonRecord } from '../../json.ts'
import {
  refuseBound,
  refuseChoice,
  refuseEmpty,
  refuseLength,
  refuseMissing,
  refuseType,
  refuseUnknown,
} from './refuse-field.ts'

/** An object of the request and the address that errors give of it: `messages[0]`, or nothing at the top. */
export interface Fields {
  readonly values: JsonRecord
  readonly at: string
}

export interface Range {
  readonly least?: number
  readonly most?: number
}

/** How errors spell a field: `messages[0].content`. */
export function address({ at }: Fields, name: string): string {
  return at === '' ? name : `${at}.${name}`
}

/** The value as an object with an address of its own. */
export function asFields(value: Json | undefined, at: string): Fields {
  if (value === undefined) throw refuseMissing(at)
  if (!isRecord(value)) throw refuseType(at, 'an object', value)
  return { values: value, at }
}

/** Refuses the first name that the vendor does not know. */
export function refuseUnknownNames(fields: Fields, known: ReadonlySet<string>): void {
  for (const name in fields.values) {
    if (!known.has(name)) throw refuseUnknown(address(fields, name))
  }
}

export function readText(fields: Fields, name: string): string {
  const value = fields.values[name]
  if (value === undefined) throw refuseMissing(address(fields, name))
  if (typeof value !== 'string') throw refuseType(address(fields, name), 'a string', value)
  return value
}

/** Optional fields may be null as well, which means the same. */
export function readOptionalText(fields: Fields, name: string, { most = Infinity } = {}): string | undefined {
  const value = fields.values[name] ?? undefined
  if (value === undefined) return undefined
  const text = readText(fields, name)
  if (text.length > most) throw refuseLength(address(fields, name), text, most)
  return text
}

export function readDecimal(fields: Fields, name: string, range: Range): number | undefined {
  return readNumber(fields, name, { ...range, kind: 'decimal' })
}

export function readInteger(fields: Fields, name: string, range: Range = {}): number | undefined {
  return readNumber(fields, name, { ...range, kind: 'integer' })
}

export function readBoolean(fields: Fields, name: string): boolean | undefined {
  const value = fields.values[name] ?? undefined
  if (value !== undefined && typeof value !== 'boolean')
    throw refuseType(address(fields, name), 'a boolean', value)
  return value
}

export function readRecord(fields: Fields, name: string): Fields | undefined {
  const value = fields.values[name] ?? undefined
  return value === undefined ? undefined : asFields(value, address(fields, name))
}

/** A list that may be absent, but not empty. */
export function readList(fields: Fields, name: string): Json[] | undefined {
  const value = fields.values[name] ?? undefined
  const param = address(fields, name)
  if (value === undefined) return undefined
  if (!Array.isArray(value)) throw refuseType(param, 'an array of objects', value)
  if (value.length === 0) throw refuseEmpty(param)
  return value
}

export function readChoice<Word extends string>(
  fields: Fields,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value = readOptionalText(fields, name)
  if (value === undefined) return undefined
  const chosen = words.find(word => word === value)
  if (chosen === undefined) throw refuseChoice(address(fields, name), value, words)
  return chosen
}

function readNumber(
  fields: Fields,
  name: string,
  { kind, least = -Infinity, most = Infinity }: Range & { kind: 'integer' | 'decimal' },
): number | undefined {
  const value = fields.values[name] ?? undefined
  if (value === undefined) return undefined
  const param = address(fields, name)
  const expected = kind === 'integer' ? 'an integer' : 'a decimal'
  if (typeof value !== 'number') throw refuseType(param, expected, value)
  if (kind === 'integer' && !Number.isInteger(value)) throw refuseType(param, expected, value)
  if (value < least) throw refuseBound(param, kind, { value, bound: least, side: 'minimum' })
  if (value > most) throw refuseBound(param, kind, { value, bound: most, side: 'maximum' })
  return value
}
