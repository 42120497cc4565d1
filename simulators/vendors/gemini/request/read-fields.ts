import { isRecord, type Json, type JsonRecord } from '../../json.ts'
import type { Refusal } from '../../server/refusal.ts'
import { refuse } from '../refuse.ts'

/** An object of the request and the address that errors give of it: `contents[0]`, or nothing at the top. */
export interface Fields {
  readonly values: JsonRecord
  readonly at: string
}

/** How errors spell a field: `generation_config.top_p`. */
export function address({ at }: Fields, name: string): string {
  const snake = name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
  return at === '' ? snake : `${at}.${snake}`
}

/** A value that does not parse as what the field holds. */
export function refuseType(at: string, type: string, value: Json): Refusal {
  return refuseField(at, `Invalid value at '${at}' (${type}), ${JSON.stringify(value)}`)
}

/** A field that the vendor refuses, in its words. */
export function refuseField(field: string, description: string): Refusal {
  return refuse(400, description, {
    details: [
      { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field, description }] },
    ],
  })
}

/** What the vendor says of a request that parses but makes no sense. */
export function refuseSense(at: string, complaint: string): Refusal {
  return refuse(400, `* GenerateContentRequest.${at}: ${complaint}\n`)
}

/** The value as an object with an address of its own. */
export function asFields(value: Json, at: string): Fields {
  if (!isRecord(value)) throw refuseType(at, 'Message', value)
  return { values: value, at }
}

/** Refuses the first name that the vendor does not know. */
export function refuseUnknownNames(fields: Fields, known: readonly string[]): void {
  for (const name in fields.values) {
    if (known.includes(name)) continue
    const place = fields.at === '' ? '' : ` at '${fields.at}'`
    throw refuseField(
      fields.at,
      `Invalid JSON payload received. Unknown name ${JSON.stringify(name)}${place}: Cannot find field.`,
    )
  }
}

/** Null means the same as nothing, everywhere. */
export function readValue(fields: Fields, name: string): Json | undefined {
  return fields.values[name] ?? undefined
}

export function readText(fields: Fields, name: string): string | undefined {
  const value = readValue(fields, name)
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw refuseType(address(fields, name), 'TYPE_STRING', value)
  if (!value.isWellFormed()) throw refuse(400, 'Invalid JSON payload received. Invalid Unicode.')
  return value
}

export function readBoolean(fields: Fields, name: string): boolean | undefined {
  const value = readValue(fields, name)
  if (value === undefined || typeof value === 'boolean') return value
  throw refuseType(address(fields, name), 'TYPE_BOOL', value)
}

export function readNumber(
  fields: Fields,
  name: string,
  { least, most, isWhole = false }: { least: number; most: number; isWhole?: boolean },
): number | undefined {
  const value = readValue(fields, name)
  if (value === undefined) return undefined
  const at = address(fields, name)
  if (typeof value !== 'number' || (isWhole && !isInt32(value)))
    throw refuseType(at, isWhole ? 'TYPE_INT32' : 'TYPE_FLOAT', value)
  if (value >= least && value <= most) return value
  throw refuseSense(at, `value must be in the range [${least}, ${most}].`)
}

export function readRecord(fields: Fields, name: string): Fields | undefined {
  const value = readValue(fields, name)
  return value === undefined ? undefined : asFields(value, address(fields, name))
}

export function readList(fields: Fields, name: string): Json[] {
  const value = readValue(fields, name) ?? []
  if (Array.isArray(value)) return value
  throw refuseType(address(fields, name), 'repeated', value)
}

export function readTexts(fields: Fields, name: string): string[] {
  return readList(fields, name).map((value, index) => {
    if (typeof value === 'string') return value
    throw refuseType(`${address(fields, name)}[${index}]`, 'TYPE_STRING', value)
  })
}

export function readChoice<Word extends string>(
  fields: Fields,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value = readText(fields, name)
  if (value === undefined) return undefined
  const chosen = words.find(word => word === value)
  if (chosen === undefined) throw refuseType(address(fields, name), 'TYPE_ENUM', value)
  return chosen
}

function isInt32(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31
}
