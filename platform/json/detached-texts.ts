import { joinByTurns } from '../join-by-turns.ts'

/**
 * Long texts of a JSON value that are kept as bytes beside it. As a string, a text of megabytes would be allocated and
 * copied in one piece on the event loop. In the value, a placeholder replaces each text.
 */
export interface DetachedTexts {
  /** The beginning of every placeholder: 32 hexadecimal digits that no client can guess. */
  mark: string
  /** The texts in ASCII, which JSON does not escape. */
  texts: readonly Uint8Array<ArrayBuffer>[]
}

const indexDigits = 8

/** The placeholder of a detached text: 40 hexadecimal digits, which are valid base64. */
export function standIn(mark: string, index: number): string {
  return mark + index.toString(16).padStart(indexDigits, '0')
}

/** Returns the number of bytes by which placeholders shorten a JSON text. */
export function bytesSaved({ mark, texts }: DetachedTexts): number {
  return texts.reduce((sum, { length }) => sum + length - mark.length - indexDigits, 0)
}

/** Replaces the placeholders in a printed value with the detached texts, over several turns of the event loop. */
export function attachTexts(json: Buffer | string, { mark, texts }: DetachedTexts): Promise<Buffer> {
  const printed = typeof json === 'string' ? Buffer.from(json) : json
  const parts: Uint8Array[] = []
  let from = 0
  for (let at = printed.indexOf(mark); at >= 0; at = printed.indexOf(mark, from)) {
    const indexAt = at + mark.length
    const index = Number.parseInt(printed.toString('latin1', indexAt, indexAt + indexDigits), 16)
    parts.push(printed.subarray(from, at), texts[index]!)
    from = indexAt + indexDigits
  }
  return joinByTurns([...parts, printed.subarray(from)])
}
