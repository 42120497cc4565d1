/** Shorter secrets are not looked for: they would be found in the middle of ordinary text. */
const shortestSecret = 4

/** The length of a part of a secret that must not be shown. */
const tellingPart = 8

/** A longer text is cut off before it is searched: no error message needs more. */
const maxCharacters = 4_096

/**
 * The credential of an `Authorization` header. A service account's token is not among the configured secrets.
 */
const authorization = /\b(bearer|basic) +[\w.~+/=-]{20,}/gi

/** The secrets of a credential, which no printed or serialised object shows. */
export class Secrets {
  readonly #values: readonly string[]

  constructor(values: readonly string[]) {
    this.#values = values
  }

  get values(): readonly string[] {
    return this.#values
  }
}

/**
 * Replaces every trace of these secrets, and the credential of any `Authorization` header, by `***`: a secret verbatim,
 * escaped or encoded, each of its lines, each part of eight characters, and the rest that a vendor shows with a hidden
 * middle (`sk-a…wxyz`). Reads text and secrets once.
 */
export function blankSecrets(text: string, secrets: Secrets): string {
  const searched = text.slice(0, maxCharacters)
  const isBlank = new Uint8Array(searched.length)
  markTraces(searched, secrets.values, isBlank)
  markShortened(searched, secrets.values, isBlank)
  return fill(searched, isBlank).replaceAll(authorization, '$1 ***')
}

/** The forms in which a response may repeat a secret: verbatim, line by line, escaped and encoded. */
function tracesOf(secret: string): string[] {
  return [
    secret,
    ...secret.split(/\r?\n|\\n/),
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    Buffer.from(secret).toString('base64'),
  ]
}

/**
 * Marks whole traces where they are short, else every part of eight characters. The index is one of the text: one of the
 * secrets would take a megabyte per credential if it were kept, and longer to build.
 */
function markTraces(text: string, secrets: readonly string[], isBlank: Uint8Array): void {
  const places = new Map<number, Map<string, number[]>>()
  for (const trace of new Set(secrets.flatMap(tracesOf))) {
    if (trace.length < shortestSecret) continue
    const length = Math.min(trace.length, tellingPart)
    const ofLength = places.get(length) ?? placesIn(text, length)
    places.set(length, ofLength)
    for (let at = 0; at + length <= trace.length; at++)
      markPart(ofLength, trace.slice(at, at + length), isBlank)
  }
}

/** Marks a part wherever it is, once. */
function markPart(places: Map<string, number[]>, part: string, isBlank: Uint8Array): void {
  for (const at of places.get(part) ?? []) isBlank.fill(1, at, at + part.length)
  places.delete(part)
}

/** Returns where each part of that length is in a text. */
function placesIn(text: string, length: number): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (let at = 0; at + length <= text.length; at++) {
    const part = text.slice(at, at + length)
    const known = places.get(part)
    if (known) known.push(at)
    else places.set(part, [at])
  }
  return places
}

/** What hides the middle of a secret: asterisks, dots, an ellipsis, crosses. */
const hidden = /\*{2,}|\.{3,}|…+|•+|[xX]{4,}/g

/**
 * Minimum number of a secret's characters beside a hidden middle for it to be recognised, and maximum number that are
 * compared.
 */
const minShown = 2
const maxShown = 64

/**
 * How many hidden middles are examined before the rest of the text is blanked, and for how many secrets. It
 * bounds the time that a hostile answer can take.
 */
const maxHidden = 32
const maxSecrets = 16

/** Marks what is left of a secret on both sides of its hidden middle. */
function markShortened(text: string, secrets: readonly string[], isBlank: Uint8Array): void {
  const known = secrets.filter(secret => secret.length >= tellingPart).slice(0, maxSecrets)
  if (known.length === 0) return
  let count = 0
  for (const { index, 0: middle } of text.matchAll(hidden)) {
    if (++count > maxHidden) return void isBlank.fill(1, index)
    const end = index + middle.length
    const before = shown(text.slice(Math.max(0, index - maxShown), index), /[\x21-\x7e]*$/)
    const after = shown(text.slice(end, end + maxShown), /^[\x21-\x7e]*/)
    for (const secret of known) {
      const left = longest(length => before.endsWith(secret.slice(0, length)), before.length)
      const right = longest(length => after.startsWith(secret.slice(-length)), after.length)
      if (left + right < minShown * 2) continue
      isBlank.fill(1, index - left, end + right)
    }
  }
}

function shown(text: string, form: RegExp): string {
  return form.exec(text)?.[0] ?? ''
}

/** The most characters, at least `minShown`, of which that is so; zero where it never is. */
function longest(isSo: (count: number) => boolean, max: number): number {
  for (let count = max; count >= minShown; count--) if (isSo(count)) return count
  return 0
}

/** The text with each marked run replaced by `***`. */
function fill(text: string, isBlank: Uint8Array): string {
  let filled = ''
  let from = 0
  for (let at = isBlank.indexOf(1); at !== -1; at = isBlank.indexOf(1, from)) {
    filled += `${text.slice(from, at)}***`
    const end = isBlank.indexOf(0, at)
    from = end === -1 ? text.length : end
  }
  return filled + text.slice(from)
}
