import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Clock } from '../../platform/clock.ts'
import type { Json } from './json.ts'

/** The settings of every simulator that can be changed while it runs. */
export interface ServerSettings {
  /** Delay before the first byte of each answer, in milliseconds. */
  latencyMs: number
  /** Delay between two chunks of a stream, in milliseconds. */
  chunkDelayMs: number
  /** Whether calls are recorded. Benchmarks disable it. */
  record: boolean
}

/** The state that every simulator has. */
export interface ServerState {
  readonly clock: Clock
  readonly settings: ServerSettings
  readonly calls: CallLog
  /** The number of failures so far of each `flaky` fault. */
  readonly failures: Map<string, number>
  /** The number of requests so far. It is never reset, so that IDs derived from it remain unique. */
  requestCount: number
}

/** The latest calls, oldest first, limited in number and bytes. */
export interface CallLog {
  readonly entries: SimulatorCall[]
  readonly sizesBytes: number[]
  totalBytes: number
}

export interface SimulatorCall {
  readonly id: number
  /** When it arrived, in Unix milliseconds. */
  readonly at: number
  readonly method: string
  /** The path with its query. */
  readonly path: string
  /** The headers, secrets included. */
  readonly headers: IncomingHttpHeaders
  /** The parsed JSON, or the text of any other body; null without a body. */
  readonly body: Json
  /** The HTTP status sent; null until then. */
  status: number | null
  /** The number of stream frames written so far. */
  frames: number
  /** Whether the whole answer was sent. */
  finished: boolean
  /** Whether the client disconnected before the end of the answer. */
  aborted: boolean
  /** Whether the simulator closed the connection because of a fault. */
  cut: boolean
}

/** A request with its whole body, and its response. */
export interface Exchange {
  /** The number of the request, starting at 1. The IDs of answers are derived from it. */
  readonly id: number
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The path without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** The decoded matches of the named groups in the route's pattern. */
  readonly params: Readonly<Record<string, string>>
  readonly body: Body
  /** The recorded call; undefined if recording is disabled. */
  readonly call: SimulatorCall | undefined
}

export interface Body {
  readonly bytes: Buffer
  /** The parsed body; undefined unless it is valid JSON with a JSON content type. */
  readonly json: Json | undefined
}

/** Answers an exchange, or throws a `Refusal`. */
export type Handler<State extends ServerState> = (state: State, exchange: Exchange) => Promise<void> | void

export interface Route<State extends ServerState> {
  readonly method: string
  /** The exact path, or a pattern whose named groups become `params`. */
  readonly path: string | RegExp
  readonly handle: Handler<State>
}

export interface Api<State extends ServerState> {
  readonly prefix: string
  /** Whether its calls are recorded. The default is true. */
  readonly isRecorded?: boolean
  readonly routes: readonly Route<State>[]
  presentHeaders(exchange: Exchange): OutgoingHttpHeaders
  refuseUnknown(method: string, path: string): Refusal
  refuseTooLarge(): Refusal
}

/** An error answer in a vendor's format. Handlers throw it. */
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

/** Waits `waitMs` (0 means one turn of the event loop), or until the response closes. */
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

/** Waits until the socket drains or the response closes. */
export function drained(response: ServerResponse): Promise<void> {
  return untilClosedOr(response, done => {
    response.once('drain', done)
    return () => response.off('drain', done)
  })
}

/** Waits until either side closes the response. */
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
