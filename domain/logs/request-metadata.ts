import { isRecord } from '../../platform/checks.ts'
import { invalidParam } from '../../schema/refuse-param.ts'

/** A pair of the `metadata` of a request. */
export interface MetadataPair {
  key: string
  value: string
}

/** The limits of OpenAI: pairs of a request, and characters of a key and a value. */
const maxPairs = 16
const maxKeyLength = 64
const maxValueLength = 512

/**
 * Returns the `metadata` of a request for its log row, as JSON text of pairs; null if there is none. Throws
 * `invalid_request`, which names `metadata` or the key of the pair, for anything but texts within the limits of OpenAI.
 */
export function readMetadata(given: unknown): string | null {
  if (given === undefined || given === null) return null
  if (!isRecord(given)) throw invalidParam('metadata', 'must be an object')
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  if (entries.length > maxPairs) throw invalidParam('metadata', `must have at most ${maxPairs} pairs`)
  const values = new Map(entries.map(([key, value]) => readEntry(key, value)))
  const pairs: MetadataPair[] = Array.from(values, ([key, value]) => ({ key, value }))
  return pairs.length === 0 ? null : JSON.stringify(pairs)
}

/** Checks a pair. Returns its key and its value without what Postgres cannot store. */
function readEntry(given: string, value: unknown): [string, string] {
  const key = storable(given)
  if (key === '' || isLonger(given, maxKeyLength))
    throw invalidParam('metadata', `must have keys of 1 to ${maxKeyLength} characters`)
  if (typeof value !== 'string') throw invalidParam(`metadata.${key}`, 'must be a string')
  if (isLonger(value, maxValueLength))
    throw invalidParam(`metadata.${key}`, `must have at most ${maxValueLength} characters`)
  return [key, storable(value)]
}

/** Whether a text has more characters than this. Two halves of a character count as one. */
export function isLonger(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || Array.from(text).length > max)
}

/** Parses a filter `key=value`; undefined for any other text. */
export function readPair(text: string): MetadataPair | undefined {
  const at = text.indexOf('=')
  return at > 0 ? { key: storable(text.slice(0, at)), value: storable(text.slice(at + 1)) } : undefined
}

/** Removes what Postgres cannot store as JSON: NUL and halves of characters. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}
