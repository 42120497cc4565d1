import { isRecord } from '../../platform/checks.ts'

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
 * Returns the `metadata` of a request for its log row, as JSON text of pairs; null if there is none. Keeps the first 16
 * pairs whose value is a text. Longer ones, and other values, are left out, because clients of other vendors send such
 * metadata and must not fail.
 */
export function metadataOf(given: unknown): string | null {
  if (!isRecord(given)) return null
  const pairs: MetadataPair[] = []
  for (const [key, value] of Object.entries(given)) {
    if (typeof value !== 'string' || key === '') continue
    if (key.length > maxKeyLength || value.length > maxValueLength) continue
    if (pairs.push({ key: storable(key), value: storable(value) }) === maxPairs) break
  }
  return pairs.length === 0 ? null : JSON.stringify(pairs)
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
