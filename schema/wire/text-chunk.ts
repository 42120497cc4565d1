import type { ChatChunk } from './chat.ts'

/**
 * A chunk that continues the text of an earlier chunk. It equals that chunk except for the `content` of its only
 * choice.
 */
export class TextChunk {
  /** An earlier chunk with one choice, whose `delta` has only `content`. */
  readonly like: ChatChunk
  readonly content: string

  constructor(like: ChatChunk, content: string) {
    this.like = like
    this.content = content
  }
}

/** The path of the text in the chunk. */
export const contentPath = ['choices', 0, 'delta', 'content'] as const

/** A chunk of a stream. */
export type StreamedChunk = ChatChunk | TextChunk

/** Returns the chunk with all its fields. */
export function wholeChunk(chunk: StreamedChunk): ChatChunk {
  if (!(chunk instanceof TextChunk)) return chunk
  const { like, content } = chunk
  return {
    ...like,
    choices: like.choices.map(choice => ({ ...choice, delta: { ...choice.delta, content } })),
  }
}
