import { createParser } from 'eventsource-parser'
import type { SseEvent } from '../chat-adapter.ts'
import { UpstreamFailure } from '../upstream-failure.ts'

export interface SseReader {
  /**
   * The events that these bytes complete. However the bytes are split, the events are the same. Throws
   * `broken` where an event exceeds the limit.
   */
  push(bytes: Uint8Array): SseEvent[]
}

/**
 * Reads server-sent events: any line ends, several data lines, a BOM, characters split between reads. An
 * event, or a line without an end, may have at most `limitCharacters`.
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
        // The parser throws once an event has reached its limit.
        throw new UpstreamFailure('broken', { message: 'an event of the answer is too long', cause })
      }
      return events
    },
  }
}
