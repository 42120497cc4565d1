/** Length from which a text is printed beside the event loop, in characters. */
const longCharacters = 65_536

/** A value without its long texts. */
export interface WithoutTexts {
  /** The value, with `mark` in the place of each text. */
  value: unknown
  /** The texts in the order of the value: ASCII as bytes, all others as they are. */
  texts: (string | Uint8Array<ArrayBuffer>)[]
}

/** Takes the long texts out of a value of JSON. The value itself stays as it is. */
export function takeOutTexts(value: unknown, mark: string): WithoutTexts {
  const texts: WithoutTexts['texts'] = []
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') {
      if (part.length < longCharacters) return part
      // The length in UTF-8 is counted and ASCII is copied natively: ten times as fast as printing.
      texts.push(Buffer.byteLength(part) === part.length ? Buffer.from(part, 'latin1') : part)
      return mark
    }
    if (Array.isArray(part)) return part.map(walk)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, walk(each)]))
  }
  return { value: walk(value), texts }
}
