import { createParser } from 'eventsource-parser'
import type { SseEvent } from '../chat-adapter.ts'
import { UpstreamFailure } from '../upstream-failure.ts'

export interface SseReader {
  /**
   * The events that these bytes completed; however they were cut, the events are the same. Throws `broken` once an
   * event was longer than its limit.
   */
  push(bytes: Uint8Array): SseEvent[]
}

/**
 * Reads server-sent events: CRLF, several data lines, a BOM, characters cut in two. Of an event, or of a line without
 * an end, at most `limitCharacters` are kept.
 */
export function openSseReader(limitCharacters?: number): SseReader {
  const decoder = new TextDecoder()
  let events: SseEvent[] = []
  const parser = createParser({
    ...(limitCharacters && { maxBufferSize: limitCharacters }),
    onEvent: ({ event, data }) => void events.push({ event, data }),
  })
  return {
    push(bytes) {
      events = []
      const text = decoder.decode(bytes, { stream: true })
      try {
        parser.feed(text)
      } catch (cause) {
        // The parser has stopped at the limit: it says so to whoever feeds it further.
        throw new UpstreamFailure('broken', { message: 'an event of the answer is too long', cause })
      }
      return events
    },
  }
}
