import { JsonTemplate } from '../../../platform/json-template.ts'
import type { ChatChunk } from '../../../schema/wire/chat.ts'
import { TextChunk } from '../../../schema/wire/text-chunk.ts'

/** Reads those events of a stream that are like one before but for their text, as most are. */
export interface TextEvents {
  /** The text of an event that is like the one remembered; undefined where it must be parsed. */
  read(data: string): TextChunk | undefined
  /** Remembers an event that says nothing but its text, and the chunk that it was translated to. */
  remember(data: string, chunk: ChatChunk): void
}

/** So many events are remembered that none is like; then no more are: the events of this vendor always differ. */
const maxTries = 4

/** `path` leads to the text in an event. */
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
