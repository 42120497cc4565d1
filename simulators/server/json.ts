/** What JSON can hold. */
export type Json = null | boolean | number | string | Json[] | JsonRecord

export interface JsonRecord {
  [name: string]: Json
}

export function isRecord(value: Json | undefined): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The text as JSON; undefined where it is none. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
