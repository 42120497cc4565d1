import type { Tokenizer } from './tokenizer.ts'

/**
 * What an answer has said so far, kept to be counted in case no vendor does: whole while it is short, and of a long one
 * a random part, so that memory is bounded and nobody can choose what is counted.
 */
export interface Transcript {
  /** UTF-16 units of all that was said. */
  readonly characters: number
  /** Tokens that this is at most, roughly: to grow a reservation ahead of need. */
  readonly maxTokens: number
  /** Tokens that it is at least, roughly. */
  readonly minTokens: number
  add(text: string): void
  /** Its tokens, by a tokenizer. What was counted once is not counted again. */
  count(tokenizer: Tokenizer): Promise<number>
}

interface Block {
  text: string
  tokens: number | undefined
}

/** Pieces, and characters, that are joined into a block. */
const blockPieces = 64
const blockCharacters = 2_048

/** More blocks are thinned out to half. */
const maxBlocks = 128

/** Of text in narrow letters a token is rarely less, or more, than so many; of wide ones likewise. */
const narrow = { least: 2, most: 5 }
const wide = { least: 0.8, most: 1.6 }

/** From here on are the letters of which words have few: Chinese, Japanese, Korean, and emoji. */
const firstWide = 0x2e80

/** `random` chooses what of a long answer is kept: a number from 0 to 1. */
export function openTranscript(random: () => number = Math.random): Transcript {
  return new SampledTranscript(random)
}

class SampledTranscript implements Transcript {
  readonly #random: () => number
  #blocks: Block[] = []
  #pieces: string[] = []
  /** Characters of the pieces, and of all blocks that were ever closed. */
  #waiting = 0
  #closedCharacters = 0
  #pieceCount = 0
  #narrowCharacters = 0
  #wideCharacters = 0
  /** The chance that a block has to be kept. */
  #share = 1

  constructor(random: () => number) {
    this.#random = random
  }

  get characters(): number {
    return this.#narrowCharacters + this.#wideCharacters
  }

  get maxTokens(): number {
    return this.#narrowCharacters / narrow.least + this.#wideCharacters / wide.least
  }

  get minTokens(): number {
    return Math.max(this.#pieceCount, this.#narrowCharacters / narrow.most + this.#wideCharacters / wide.most)
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
    // Joined anew, so that a piece of a large text does not keep all of it.
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
