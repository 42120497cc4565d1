import type { ChatChunk } from './chat.ts'

/** A chunk that goes on with the text of an earlier one: it is like that one, but for the `content` of its one choice. */
export class TextChunk {
  /** Has one choice, whose `delta` says nothing but its `content`. It came before this one. */
  readonly like: ChatChunk
  readonly content: string

  constructor(like: ChatChunk, content: string) {
    this.like = like
    this.content = content
  }
}

/** Where the text stands in the chunk. */
export const contentPath = ['choices', 0, 'delta', 'content'] as const

/** What a stream is made of. */
export type StreamedChunk = ChatChunk | TextChunk

/** The chunk with all its fields. */
export function wholeChunk(chunk: StreamedChunk): ChatChunk {
  if (!(chunk instanceof TextChunk)) return chunk
  const { like, content } = chunk
  return {
    ...like,
    choices: like.choices.map(choice => ({ ...choice, delta: { ...choice.delta, content } })),
  }
}
