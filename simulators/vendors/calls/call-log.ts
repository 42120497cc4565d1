import type { IncomingHttpHeaders } from 'node:http'
import type { Json } from '../json.ts'

/** One call that the simulator received, as tests see it. */
export interface SimulatorCall {
  /** Later calls have greater ones. */
  readonly id: number
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number
  readonly method: string
  /** As on the wire, with its query. */
  readonly path: string
  /** As received: secrets are not blanked. */
  readonly headers: IncomingHttpHeaders
  /** Parsed where it is JSON, else its text; null where there is none. */
  readonly body: Json
  /** The HTTP status that was sent; null until then. */
  status: number | null
  /** Frames of the stream handed to the socket so far. */
  frames: number
  /** The whole answer went out. */
  finished: boolean
  /** The client closed before the answer was whole. */
  aborted: boolean
  /** The simulator cut the connection itself, as a fault asked. */
  cut: boolean
}

/** The last calls, the oldest first, bounded in number and in bytes. */
export interface CallLog {
  readonly entries: SimulatorCall[]
  readonly sizesBytes: number[]
  totalBytes: number
}

const mostCalls = 1000
const mostBytes = 256 * 1024 * 1024

export function openCallLog(): CallLog {
  return { entries: [], sizesBytes: [], totalBytes: 0 }
}

/** Adds a call, and forgets the oldest ones while there are too many. */
export function addCall(log: CallLog, call: SimulatorCall, sizeBytes: number): void {
  log.entries.push(call)
  log.sizesBytes.push(sizeBytes)
  log.totalBytes += sizeBytes
  while (log.entries.length > mostCalls || (log.totalBytes > mostBytes && log.entries.length > 1)) {
    log.entries.shift()
    log.totalBytes -= log.sizesBytes.shift() ?? 0
  }
}

/** Forgets every call. */
export function clearCalls(log: CallLog): void {
  log.entries.length = 0
  log.sizesBytes.length = 0
  log.totalBytes = 0
}
