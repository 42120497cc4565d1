import { randomUUID } from 'node:crypto'
import { joinByTurns } from '../join-by-turns.ts'

/** The placeholder of a part that is already printed. Clients cannot guess it. */
export const hole = `hole-${randomUUID()}`

/** JSON of which some parts are already printed. Printing a text of megabytes again would block the event loop. */
export class SplicedJson {
  readonly #value: object
  readonly #parts: readonly Uint8Array[]

  /** `value` has a `hole` for each of the parts, in the same order. */
  constructor(value: object, parts: readonly Uint8Array[]) {
    this.#value = value
    this.#parts = parts
  }

  /** Prints the value, over several turns of the event loop if its parts are large. */
  print(): Promise<Buffer> {
    return joinByTurns(alternate(JSON.stringify(this.#value), hole, this.#parts))
  }
}

/** Replaces each string `mark` in a JSON text with a part. Returns a buffer with its own memory. */
export function splice(json: string, mark: string, parts: readonly Uint8Array[]): Buffer<ArrayBuffer> {
  const pieces = alternate(json, mark, parts)
  const whole = Buffer.from(new ArrayBuffer(pieces.reduce((sum, { length }) => sum + length, 0)))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** Yields the pieces of the text around each `mark`, and between them the parts that replace it. */
function alternate(json: string, mark: string, parts: readonly Uint8Array[]): Uint8Array[] {
  const texts = json.split(`"${mark}"`).map(text => Buffer.from(text))
  return texts.flatMap((text, index) => {
    const part = parts[index]
    return part ? [text, part] : [text]
  })
}
