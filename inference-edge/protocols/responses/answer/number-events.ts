import type { ResponseEvent } from '../../../../schema/wire/responses/response.ts'
import { frameOf } from '../../protocol.ts'

/** An event before it has its number. */
export type Event = ResponseEvent extends infer Numbered
  ? Numbered extends ResponseEvent
    ? Omit<Numbered, 'sequence_number'>
    : never
  : never

/** Writes events as frames, numbered from 0 in the order in which they are written. */
export function numberEvents(): (...events: Event[]) => string {
  let next = 0
  return (...events) => {
    let frames = ''
    for (const event of events) frames += frameOf({ ...event, sequence_number: next++ }, event.type)
    return frames
  }
}
