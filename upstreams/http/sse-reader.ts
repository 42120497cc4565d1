import { createParser } from 'eventsource-parser'
import type { SseEvent } from '../chat-adapter.ts'
import { UpstreamFailure } from '../upstream-failure.ts'

export interface SseReader {
  /**
   * Returns the events that these bytes complete. The events do not depend on how the bytes are split. Throws `broken`
   * if an event exceeds the limit.
   */
  push(bytes: Uint8Array): SseEvent[]
}

/**
 * Reads server-sent events, with any line ends, several data lines, a BOM, and characters that are split between reads.
 * An event, or a line without an end, may have at most `limitCharacters`.
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
