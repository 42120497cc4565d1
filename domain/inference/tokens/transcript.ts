import type { Tokenizer } from './tokenizer.ts'

/**
 * The text of an answer so far, kept in case the vendor does not count it. A short text is kept whole. Of a long text, a
 * random part is kept, so that memory is bounded and no client can choose the part that is counted.
 */
export interface Transcript {
  /** Length of the whole text, in UTF-16 units. */
  readonly characters: number
  /** Approximate upper bound of its tokens, by which a reservation grows ahead of need. */
  readonly maxTokens: number
  /** Approximate lower bound of its tokens. */
  readonly minTokens: number
  add(text: string): void
  /** Returns its tokens by a tokenizer. Counts only the text that was added since the last call. */
  count(tokenizer: Tokenizer): Promise<number>
}

interface Block {
  text: string
  tokens: number | undefined
}

/** Number of pieces, and of characters, at which pieces are joined into a block. */
const blockPieces = 64
const blockCharacters = 2_048

/** Maximum number of blocks. Above it, a random half is dropped. */
const maxBlocks = 128

/** Usual minimum and maximum of characters per token, for narrow and for wide letters. */
const narrow = { min: 2, max: 5 }
const wide = { min: 0.8, max: 1.6 }

/** First code unit of wide letters: Chinese, Japanese, Korean, and emoji. */
const firstWide = 0x2e80

/** Opens a transcript. `random` returns a number from 0 to 1, which chooses the blocks of a long text that are kept. */
export function openTranscript(random: () => number = Math.random): Transcript {
  return new SampledTranscript(random)
}

class SampledTranscript implements Transcript {
  readonly #random: () => number
  #blocks: Block[] = []
  #pieces: string[] = []
  /** Characters of the pieces, and of all closed blocks, including dropped ones. */
  #waiting = 0
  #closedCharacters = 0
  #pieceCount = 0
  #narrowCharacters = 0
  #wideCharacters = 0
  /** Probability that a new block is kept. */
  #share = 1

  constructor(random: () => number) {
    this.#random = random
  }

  get characters(): number {
    return this.#narrowCharacters + this.#wideCharacters
  }

  get maxTokens(): number {
    return this.#narrowCharacters / narrow.min + this.#wideCharacters / wide.min
  }

  get minTokens(): number {
    return Math.max(this.#pieceCount, this.#narrowCharacters / narrow.max + this.#wideCharacters / wide.max)
  }

  add(text: string): void {
    if (text === '') return
    this.#pieceCount++
    if (text.charCodeAt(text.length >> 1) >= firstWide) this.#wideCharacters += text.length
    else this.#narrowCharacters += text.length
    if (text.length <= blockCharacters) {
      this.#keep(text)
      return
    }
    for (let at = 0; at < text.length; at += blockCharacters) this.#keep(text.slice(at, at + blockCharacters))
  }

  async count(tokenizer: Tokenizer): Promise<number> {
    const uncounted = this.#blocks.filter(block => block.tokens === undefined)
    const counts = await Promise.all(uncounted.map(({ text }) => tokenizer.count([text])))
    for (const [at, block] of uncounted.entries()) block.tokens = counts[at]
    let tokens = 0
    let characters = 0
    for (const block of this.#blocks) {
      tokens += block.tokens ?? 0
      characters += block.text.length
    }
    if (this.#share < 1 && characters > 0) tokens *= this.#closedCharacters / characters
    const rest = this.#pieces.length > 0 ? [this.#pieces.join('')] : []
    return Math.round(tokens + (await tokenizer.count(rest)))
  }

  #keep(text: string): void {
    this.#pieces.push(text)
    this.#waiting += text.length
    if (this.#pieces.length >= blockPieces || this.#waiting >= blockCharacters) this.#close()
  }

  #close(): void {
    // Copied, so that a slice does not keep its whole source text in memory.
    const text = Buffer.from(this.#pieces.join('')).toString()
    this.#pieces = []
    this.#closedCharacters += this.#waiting
    this.#waiting = 0
    if (this.#share === 1 || this.#random() < this.#share) this.#blocks.push({ text, tokens: undefined })
    if (this.#blocks.length <= maxBlocks) return
    this.#share /= 2
    this.#blocks = this.#blocks.filter(() => this.#random() < 0.5)
  }
}
