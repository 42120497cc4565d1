import { randomUUID } from 'node:crypto'

/** Stands in a value for a part that is printed already. Clients cannot know it. */
export const hole = `hole-${randomUUID()}`

/** JSON of which some parts are printed already: printing a text of megabytes again would take the event loop. */
export class SplicedJson {
  readonly #value: object
  readonly #parts: readonly Uint8Array[]

  /** `value` has a `hole` for each of the parts, in the same order. */
  constructor(value: object, parts: readonly Uint8Array[]) {
    this.#value = value
    this.#parts = parts
  }

  print(): Buffer {
    return splice(JSON.stringify(this.#value), hole, this.#parts)
  }
}

/** Puts the parts into the places of the string `mark` in a JSON text. Returns a buffer with memory of its own. */
export function splice(json: string, mark: string, parts: readonly Uint8Array[]): Buffer<ArrayBuffer> {
  const pieces = json.split(`"${mark}"`).map(piece => Buffer.from(piece))
  const bytes = [...pieces, ...parts].reduce((sum, { length }) => sum + length, 0)
  const whole = Buffer.from(new ArrayBuffer(bytes))
  let at = 0
  for (const [index, piece] of pieces.entries()) {
    for (const part of [piece, parts[index]]) {
      if (!part) continue
      whole.set(part, at)
      at += part.length
    }
  }
  return whole
}
