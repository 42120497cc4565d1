import type { Tokenizer } from './tokenizer.ts'

/**
 * What an answer has said so far, kept to be counted in case no vendor does: whole while it is short, and of a long one
 * a random part, so that memory is bounded and nobody can choose what is counted.
 */
export interface Transcript {
  /** UTF-16 units of all that was said. */
  readonly characters: number
  /** Tokens that this is at most, roughly: to grow a reservation ahead of need. */
  readonly mostTokens: number
  /** Tokens that it is at least, roughly. */
  readonly leastTokens: number
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
const mostBlocks = 128

/** Of text in narrow letters a token is rarely less, or more, than so many; of wide ones likewise. */
const narrow = { least: 2, most: 5 }
const wide = { least: 0.8, most: 1.6 }

/** From here on are the letters of which words have few: Chinese, Japanese, Korean, and emoji. */
const firstWide = 0x2e80

/** `random` chooses what of a long answer is kept: a number from 0 to 1. */
export function openTranscript(random: () => number = Math.random): Transcript {
  let blocks: Block[] = []
  let pieces: string[] = []
  let waiting = 0
  let closedCharacters = 0
  let pieceCount = 0
  let narrowCharacters = 0
  let wideCharacters = 0
  /** The chance that a block has to be kept. */
  let share = 1

  const close = () => {
    // Joined anew, so that a piece of a large text does not keep all of it.
    const text = Buffer.from(pieces.join('')).toString()
    pieces = []
    closedCharacters += waiting
    waiting = 0
    if (share === 1 || random() < share) blocks.push({ text, tokens: undefined })
    if (blocks.length <= mostBlocks) return
    share /= 2
    blocks = blocks.filter(() => random() < 0.5)
  }
  const keep = (text: string) => {
    pieces.push(text)
    waiting += text.length
    if (pieces.length >= blockPieces || waiting >= blockCharacters) close()
  }

  return {
    get characters() {
      return narrowCharacters + wideCharacters
    },
    get mostTokens() {
      return narrowCharacters / narrow.least + wideCharacters / wide.least
    },
    get leastTokens() {
      return Math.max(pieceCount, narrowCharacters / narrow.most + wideCharacters / wide.most)
    },
    add(text) {
      if (text === '') return
      pieceCount++
      if (text.charCodeAt(text.length >> 1) >= firstWide) wideCharacters += text.length
      else narrowCharacters += text.length
      if (text.length <= blockCharacters) return keep(text)
      for (let at = 0; at < text.length; at += blockCharacters) keep(text.slice(at, at + blockCharacters))
    },
    async count(tokenizer) {
      const uncounted = blocks.filter(block => block.tokens === undefined)
      const counts = await Promise.all(uncounted.map(({ text }) => tokenizer.count([text])))
      for (const [at, block] of uncounted.entries()) block.tokens = counts[at]
      let tokens = 0
      let characters = 0
      for (const block of blocks) {
        tokens += block.tokens ?? 0
        characters += block.text.length
      }
      if (share < 1 && characters > 0) tokens *= closedCharacters / characters
      return Math.round(tokens + (await tokenizer.count(pieces.length > 0 ? [pieces.join('')] : [])))
    },
  }
}
