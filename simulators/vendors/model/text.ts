import { hash } from 'node:crypto'

/** The length of a token, in UTF-16 units. The last token of a text can be shorter. */
export const charactersPerToken = 4

export function countTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken)
}

/** Returns the first tokens of a text. Does not split a surrogate pair. */
export function takeTokens(text: string, tokenCount: number): string {
  if (countTokens(text) <= tokenCount) return text
  const end = tokenCount * charactersPerToken
  const last = text.charCodeAt(end - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end)
}

/** Yields `topCount` alternatives for each token of a text, the token itself first, with their log probabilities. */
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

/** Splits a text into the pieces of a stream: words with the space before them. */
export function* splitWords(text: string): Iterable<string> {
  for (const [piece] of text.matchAll(words)) yield piece
}

/** Splits JSON text into slices of at most 12 characters, as streamed arguments arrive. */
export function* splitJson(text: string): Iterable<string> {
  for (const [piece] of text.matchAll(slices)) yield piece
}

/** Yields one item of each list in turn. */
export function* interleave<Item>(lists: readonly Iterable<Item>[]): Iterable<Item> {
  const unfinished = new Set(lists.map(list => list[Symbol.iterator]()))
  for (const iterator of unfinished) {
    unfinished.delete(iterator)
    const { done, value } = iterator.next()
    if (done) continue
    unfinished.add(iterator) // its next turn is after the others
    yield value
  }
}

/** Returns a 32-bit hash of a text. */
export function hashText(text: string): number {
  return hash('sha1', text, 'buffer').readUInt32BE()
}

/** Yields pseudo-random 32-bit integers without end. The seed determines them. */
export function* randomIntegers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state
  }
}

const vocabulary = (
  'amber basin cedar delta ember field grove harbor island jasper kernel ladder meadow needle ocean ' +
  'pebble quartz river silver timber upland valley willow yonder zephyr anchor bridge copper dune early forest ' +
  'gentle hollow iron juniper kindle linen marble north olive paper quiet raven stone thread under violet water ' +
  'amble bright clear deep even fresh grand high inner just keen light mild near open plain'
).split(' ')

/** Returns `count` words, separated by spaces. The seed determines them. */
export function writeWords(count: number, seed: number): string {
  const random = randomIntegers(seed)
  const next = () => vocabulary[(random.next().value >>> 16) % vocabulary.length]
  return Array.from({ length: count }, next).join(' ')
}
