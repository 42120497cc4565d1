import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Clock } from '../../platform/clock.ts'
import type { Json } from './json.ts'

/** What a test or an operator may change of any simulator while it runs. */
export interface ServerSettings {
  /** Milliseconds before the first byte of every answer. */
  latencyMs: number
  /** Milliseconds between two chunks of every stream. */
  chunkDelayMs: number
  /** Whether calls are kept for observation; off for benchmarks. */
  record: boolean
}

/** What the server itself needs of a simulator's state; a simulator adds its own. */
export interface ServerState {
  readonly clock: Clock
  readonly settings: ServerSettings
  readonly calls: CallLog
  /** How often each `flaky` fault has failed so far. */
  readonly failures: Map<string, number>
  /** Requests received so far; never reset, so that ids made of it stay unique. */
  requestCount: number
}

/** The latest calls, the oldest first, bounded in number and in bytes. */
export interface CallLog {
  readonly entries: SimulatorCall[]
  readonly sizesBytes: number[]
  totalBytes: number
}

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
  /** The simulator cut the connection itself, because of a fault. */
  cut: boolean
}

/** One request, received whole, and its response. */
export interface Exchange {
  /** Counts the requests of this simulator, from 1: ids of answers are made of it. */
  readonly id: number
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** What the named groups of the route's path matched, percent-decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly body: Body
  /** What tests will see of it; undefined while recording is off. */
  readonly call: SimulatorCall | undefined
}

/** A request's body, received whole. */
export interface Body {
  readonly bytes: Buffer
  /** The parsed body, where its content type is JSON and it parses. */
  readonly json: Json | undefined
}

/** Answers one exchange, or throws a `Refusal`. */
export type Handler<State extends ServerState> = (state: State, exchange: Exchange) => Promise<void> | void

export interface Route<State extends ServerState> {
  readonly method: string
  /** The exact path, or a pattern of the whole path whose named groups become `params`. */
  readonly path: string | RegExp
  readonly handle: Handler<State>
}

/** One API that a simulator serves: its routes, and its errors for what it does not know. */
export interface Api<State extends ServerState> {
  /** What every path of the API starts with. */
  readonly prefix: string
  /** Whether its calls are kept for observation; they are unless this says false. */
  readonly isRecorded?: boolean
  readonly routes: readonly Route<State>[]
  /** What is added to every answer, errors included. */
  presentHeaders(exchange: Exchange): OutgoingHttpHeaders
  refuseUnknown(method: string, path: string): Refusal
  refuseTooLarge(): Refusal
}

/** An answer that is an error, its body already in the shape of one vendor. Thrown by handlers. */
export class Refusal extends Error {
  readonly status: number
  readonly body: unknown
  readonly headers: OutgoingHttpHeaders

  constructor(refusal: { status: number; body: unknown; headers?: OutgoingHttpHeaders }) {
    super(`refused with ${refusal.status}`)
    this.name = 'Refusal'
    this.status = refusal.status
    this.body = refusal.body
    this.headers = refusal.headers ?? {}
  }
}

/** Waits so many milliseconds (0: one turn of the event loop), or until the response closes. */
export function pause(response: ServerResponse, waitMs: number): Promise<void> {
  return untilClosedOr(response, done => {
    if (waitMs === 0) {
      const turn = setImmediate(done)
      return () => clearImmediate(turn)
    }
    const timer = setTimeout(done, waitMs)
    return () => clearTimeout(timer)
  })
}

/** Waits until the socket takes more, or the response closes: a stalled client that dies never drains. */
export function drained(response: ServerResponse): Promise<void> {
  return untilClosedOr(response, done => {
    response.once('drain', done)
    return () => response.off('drain', done)
  })
}

/** Waits until the response is closed, by whichever side. */
export function closed(response: ServerResponse): Promise<void> {
  return untilClosedOr(response, () => () => {})
}

function untilClosedOr(response: ServerResponse, start: (done: () => void) => () => void): Promise<void> {
  if (response.destroyed) return Promise.resolve()
  return new Promise(resolve => {
    const done = (): void => {
      stop()
      response.off('close', done)
      resolve()
    }
    const stop = start(done)
    response.once('close', done)
  })
}
