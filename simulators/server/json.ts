export type Json = null | boolean | number | string | Json[] | JsonRecord

export interface JsonRecord {
  [name: string]: Json
}

export function isRecord(value: Json | undefined): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses JSON. Returns undefined if the text is invalid. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
