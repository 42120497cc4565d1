/** Minimum length of a secret that is redacted, in characters. Shorter ones would match ordinary text. */
const shortestSecret = 4

/** Length of a part of a secret that must not be shown, in characters. */
const revealingLength = 8

/** Maximum length of a text that is searched, in characters. The rest is cut off: no error message needs more. */
const maxCharacters = 4_096

/**
 * The credential of an `Authorization` header. It can be a service account's token, which is not a configured secret.
 */
const authorization = /\b(bearer|basic) +[\w.~+/=-]{20,}/gi

/** The secrets of a credential. Printing or serialising the object does not show them. */
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
 * escaped or encoded, each of its lines, each part of eight characters, and the visible ends of a secret whose middle a
 * vendor hides (`sk-a…wxyz`). Reads text and secrets once.
 */
export function redactSecrets(text: string, secrets: Secrets): string {
  const searched = text.slice(0, maxCharacters)
  const isSecret = new Uint8Array(searched.length)
  markTraces(searched, secrets.values, isSecret)
  markShortened(searched, secrets.values, isSecret)
  return fill(searched, isSecret).replaceAll(authorization, '$1 ***')
}

/** Returns the forms in which a response may repeat a secret: verbatim, line by line, escaped and encoded. */
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
 * Marks short traces as a whole, and every part of eight characters of longer ones. The text is indexed, not the
 * secrets: an index of the secrets would take a megabyte per credential, and more time.
 */
function markTraces(text: string, secrets: readonly string[], isSecret: Uint8Array): void {
  const positions = new Map<number, Map<string, number[]>>()
  for (const trace of new Set(secrets.flatMap(tracesOf))) {
    if (trace.length < shortestSecret) continue
    const length = Math.min(trace.length, revealingLength)
    const ofLength = positions.get(length) ?? positionsIn(text, length)
    positions.set(length, ofLength)
    for (let at = 0; at + length <= trace.length; at++)
      markPart(ofLength, trace.slice(at, at + length), isSecret)
  }
}

/** Marks every occurrence of a part. Later calls with the same part do nothing. */
function markPart(positions: Map<string, number[]>, part: string, isSecret: Uint8Array): void {
  for (const at of positions.get(part) ?? []) isSecret.fill(1, at, at + part.length)
  positions.delete(part)
}

/** Returns the positions of each part of a length in a text. */
function positionsIn(text: string, length: number): Map<string, number[]> {
  const positions = new Map<string, number[]>()
  for (let at = 0; at + length <= text.length; at++) {
    const part = text.slice(at, at + length)
    const known = positions.get(part)
    if (known) known.push(at)
    else positions.set(part, [at])
  }
  return positions
}

/** The characters that hide the middle of a secret: asterisks, dots, an ellipsis, bullets or crosses. */
const hidden = /\*{2,}|\.{3,}|…+|•+|[xX]{4,}/g

/**
 * Minimum number of a secret's characters beside a hidden middle for it to be recognised, and maximum number that are
 * compared.
 */
const minShown = 2
const maxShown = 64

/**
 * Maximum number of hidden middles that are examined before the rest of the text is redacted, and of secrets that are
 * compared with them. They bound the time that a hostile answer can take.
 */
const maxHidden = 32
const maxSecrets = 16

/** Marks the visible parts of a secret on both sides of its hidden middle. */
function markShortened(text: string, secrets: readonly string[], isSecret: Uint8Array): void {
  const known = secrets.filter(secret => secret.length >= revealingLength).slice(0, maxSecrets)
  if (known.length === 0) return
  let count = 0
  for (const { index, 0: middle } of text.matchAll(hidden)) {
    if (++count > maxHidden) return void isSecret.fill(1, index)
    const end = index + middle.length
    const before = shown(text.slice(Math.max(0, index - maxShown), index), /[\x21-\x7e]*$/)
    const after = shown(text.slice(end, end + maxShown), /^[\x21-\x7e]*/)
    for (const secret of known) {
      const left = longest(length => before.endsWith(secret.slice(0, length)), before.length)
      const right = longest(length => after.startsWith(secret.slice(-length)), after.length)
      if (left + right < minShown * 2) continue
      isSecret.fill(1, index - left, end + right)
    }
  }
}

function shown(text: string, form: RegExp): string {
  return form.exec(text)?.[0] ?? ''
}

/** Returns the largest count, at least `minShown`, for which `isSo` is true, or zero. */
function longest(isSo: (count: number) => boolean, max: number): number {
  for (let count = max; count >= minShown; count--) if (isSo(count)) return count
  return 0
}

/** Returns the text with each marked run replaced by `***`. */
function fill(text: string, isSecret: Uint8Array): string {
  let filled = ''
  let from = 0
  for (let at = isSecret.indexOf(1); at !== -1; at = isSecret.indexOf(1, from)) {
    filled += `${text.slice(from, at)}***`
    const end = isSecret.indexOf(0, at)
    from = end === -1 ? text.length : end
  }
  return filled + text.slice(from)
}
