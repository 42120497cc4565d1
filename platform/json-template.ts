/** Maximum text length for a template. Longer texts would keep too much memory. */
const maxCharacters = 4_096

/**
 * A JSON text with a gap for one string, for texts that differ only in that string, such as most events of a stream.
 * It gives the same results as parsing and printing the whole text.
 */
export class JsonTemplate {
  readonly #before: string
  readonly #after: string

  private constructor(before: string, after: string) {
    this.#before = copyOf(before)
    this.#after = copyOf(after)
  }

  /** Returns the template of `json` with a gap for the string at `path` in its value, or undefined if there is none. */
  static of(json: string, path: readonly (string | number)[]): JsonTemplate | undefined {
    if (json.length > maxCharacters || !json.isWellFormed()) return undefined
    const name = `${JSON.stringify(path.at(-1))}:`
    const at = json.indexOf(name)
    const start = at + name.length
    string.lastIndex = start
    if (at < 0 || !string.test(json)) return undefined
    const before = json.slice(0, start)
    const after = json.slice(string.lastIndex)
    // No other string in the text is as long, so the match is the gap.
    const probe = 'x'.repeat(json.length)
    const value = parse(`${before}"${probe}"${after}`)
    return valueAt(value, path) === probe ? new JsonTemplate(before, after) : undefined
  }

  /** Returns the template of the JSON text of `value` with a gap for its only string `mark`, or undefined if there are more. */
  static print(value: object, mark: string): JsonTemplate | undefined {
    const json = JSON.stringify(value)
    const [before, after, ...more] = json.length > maxCharacters ? [] : json.split(JSON.stringify(mark))
    if (before === undefined || after === undefined || more.length > 0) return undefined
    return new JsonTemplate(before, after)
  }

  /** Returns the string in the gap of `json`, or undefined if `json` is invalid or differs outside of the gap. */
  read(json: string): string | undefined {
    const start = this.#before.length
    const end = json.length - this.#after.length
    // Comparing slices is several times as fast as `startsWith` and `endsWith`.
    if (json.slice(0, start) !== this.#before || json.slice(end) !== this.#after) return undefined
    const text = parse(json.slice(start, end))
    return typeof text === 'string' ? text : undefined
  }

  /** Returns the JSON text with this string in its gap. */
  write(text: string): string {
    return this.#before + JSON.stringify(text) + this.#after
  }
}

/** Matches a JSON string and the white space before it. */
const string = /\s*"(?:[^"\\]|\\.)*"/y

/** Returns the value of a JSON text, or undefined if it is invalid. */
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

/** A slice keeps its source text in memory, and is slower to compare. */
function copyOf(slice: string): string {
  return Buffer.from(slice).toString()
}
