import { lineAt, type Place } from './places.ts'

/** The value of a JSON text, or why it is none, and where if the browser reports it. */
export type ReadEntry = { value: object } | { fault: string; place: Place | undefined }

/** Reads an entry from its text. The reason is the browser's own. */
export function readEntry(text: string, noObject: string): ReadEntry {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value }
    return { fault: noObject, place: { at: 0, line: 1 } }
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error)
    const position = /position (\d+)/.exec(fault)?.[1]
    if (position === undefined) return { fault, place: undefined }
    const at = Math.min(text.length, Number(position))
    return { fault, place: { at, line: lineAt(text, at) } }
  }
}

/** Returns the text of an entry, as the editor shows it. */
export function printEntry(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
