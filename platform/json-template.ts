/** Maximum text length for a template. Longer texts would keep too much memory. */
const maxCharacters = 4_096

/**
 * A JSON text with a gap in place of one string, for texts that differ only in that string, as most events of a stream
 * do. It reads and writes the same as parsing and printing the whole text.
 */
export class JsonTemplate {
  readonly #before: string
  readonly #after: string

  private constructor(before: string, after: string) {
    this.#before = copyOf(before)
    this.#after = copyOf(after)
  }

  /** The template of `json` with a gap for the string at `path` in its value; undefined where that is not found. */
  static of(json: string, path: readonly (string | number)[]): JsonTemplate | undefined {
    if (json.length > maxCharacters || !json.isWellFormed()) return undefined
    const name = `${JSON.stringify(path.at(-1))}:`
    const at = json.indexOf(name)
    const start = at + name.length
    string.lastIndex = start
    if (at < 0 || !string.test(json)) return undefined
    const before = json.slice(0, start)
    const after = json.slice(string.lastIndex)
    // Nothing else in there can be as long: what is found is what was put into the gap, and so is any other string.
    const probe = 'x'.repeat(json.length)
    const value = parse(`${before}"${probe}"${after}`)
    return valueAt(value, path) === probe ? new JsonTemplate(before, after) : undefined
  }

  /** The string in the gap of `json`; undefined where `json` is invalid, or differs in anything else. */
  read(json: string): string | undefined {
    const start = this.#before.length
    const end = json.length - this.#after.length
    // Slices are compared several times as fast as by `startsWith` and `endsWith`.
    if (json.slice(0, start) !== this.#before || json.slice(end) !== this.#after) return undefined
    const text = parse(json.slice(start, end))
    return typeof text === 'string' ? text : undefined
  }

  /** The JSON text with this string in its gap. */
  write(text: string): string {
    return this.#before + JSON.stringify(text) + this.#after
  }
}

/** A JSON string, and what blanks precede it. */
const string = /\s*"(?:[^"\\]|\\.)*"/y

/** The value of a JSON text; undefined where it is invalid. */
function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce((holder: unknown, name) => Reflect.get(Object(holder), name), value)
}

/** A slice keeps the text that it was cut from in memory, and is slower to compare. */
function copyOf(slice: string): string {
  return Buffer.from(slice).toString()
}
