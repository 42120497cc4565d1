/** What the simulator counts as a token: four characters (UTF-16 units) of text, the last one perhaps fewer. */
export const charactersPerToken = 4

/** How many tokens a text is. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken)
}

/** The first tokens of a text, without half of a surrogate pair at its end. */
export function takeTokens(text: string, tokenCount: number): string {
  if (countTokens(text) <= tokenCount) return text
  const end = tokenCount * charactersPerToken
  const last = text.charCodeAt(end - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end)
}

/** Each token of a text with so many alternatives, the token itself first, and the likelihood of each. */
export function* rankTokens(text: string, topCount: number): Iterable<{ token: string; logprob: number }[]> {
  for (let at = 0; at < text.length; at += charactersPerToken) {
    const token = text.slice(at, at + charactersPerToken)
    yield Array.from({ length: Math.max(1, topCount) }, (_, rank) => ({
      token: rank === 0 ? token : `${token}${rank}`,
      logprob: -0.125 - 2 * rank,
    }))
  }
}

const words = /\s*\S{1,16}|\s+/gu
const slices = /.{1,12}/gsu

/** Cuts a text into the pieces that a stream carries: a word each, with the space before it. */
export function* splitWords(text: string): Iterable<string> {
  for (const [piece] of text.matchAll(words)) yield piece
}

/** Cuts JSON text into short slices, as streamed arguments of a tool come; never inside a character. */
export function* splitJson(text: string): Iterable<string> {
  for (const [piece] of text.matchAll(slices)) yield piece
}

const maxHashedCharacters = 4000

/** A number from 0 to 2^32 - 1 that a text determines (FNV-1a); of a long text its ends and its length do. */
export function hashText(text: string): number {
  const half = maxHashedCharacters / 2
  const isLong = text.length > maxHashedCharacters
  const hashed = isLong ? `${text.length}:${text.slice(0, half)}${text.slice(-half)}` : text
  let hash = 0x811c9dc5
  for (let at = 0; at < hashed.length; at++) {
    hash = Math.imul(hash ^ hashed.charCodeAt(at), 0x01000193)
  }
  return hash >>> 0
}

const vocabulary = (
  'amber basin cedar delta ember field grove harbor island jasper kernel ladder meadow needle ocean ' +
  'pebble quartz river silver timber upland valley willow yonder zephyr anchor bridge copper dune early forest ' +
  'gentle hollow iron juniper kindle linen marble north olive paper quiet raven stone thread under violet water ' +
  'amble bright clear deep even fresh grand high inner just keen light mild near open plain'
).split(' ')

/** So many words that a seed determines, one space between them. */
export function writeWords(count: number, seed: number): string {
  const written: string[] = []
  let state = seed | 0
  for (let position = 0; position < count; position++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    written.push(vocabulary[(state >>> 16) % vocabulary.length] ?? '')
  }
  return written.join(' ')
}
