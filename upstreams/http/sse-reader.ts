import { createParser } from 'eventsource-parser'

export interface SseEvent {
  event: string | undefined
  data: string
}

export interface SseReader {
  /** The events that these bytes completed; however they were cut, the events are the same. */
  push(bytes: Uint8Array): SseEvent[]
}

/** Reads server-sent events: CRLF, several data lines, a BOM, characters cut in two, frames of any size. */
export function openSseReader(): SseReader {
  const decoder = new TextDecoder()
  let events: SseEvent[] = []
  const parser = createParser({ onEvent: ({ event, data }) => void events.push({ event, data }) })
  return {
    push(bytes) {
      events = []
      parser.feed(decoder.decode(bytes, { stream: true }))
      return events
    },
  }
}
