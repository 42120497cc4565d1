import { JsonTemplate } from '../../../platform/json-template.ts'
import type { ChatChunk } from '../../../schema/wire/chat.ts'
import { TextChunk } from '../../../schema/wire/text-chunk.ts'

/** Reads the events of a stream that differ from an earlier event only in their text, as most events do. */
export interface TextEvents {
  /**
   * Returns the text of an event that differs from the template only in its text, or undefined if the event must be
   * parsed.
   */
  read(data: string): TextChunk | undefined
  /** Stores an event that contains only text, and its chunk, as the template. */
  remember(data: string, chunk: ChatChunk): void
}

/**
 * Maximum number of templates that match no event. Then no more are stored, because the events of this vendor always
 * differ.
 */
const maxTries = 4

/** `path` is the path to the text in an event. */
export function openTextEvents(path: readonly (string | number)[]): TextEvents {
  let like: ChatChunk | undefined
  let template: JsonTemplate | undefined
  let tries = 0
  return {
    read(data) {
      const text = template?.read(data)
      if (text === undefined || !like) return undefined
      tries = 0
      return new TextChunk(like, text)
    },
    remember(data, chunk) {
      if (tries >= maxTries) return
      tries += 1
      like = chunk
      template = JsonTemplate.of(data, path)
    },
  }
}
