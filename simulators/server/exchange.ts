import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../platform/clock.ts'
import type { Json } from './json.ts'

/** The state that every simulator has. */
export interface ServerState {
  readonly clock: Clock
  /** The latest calls, oldest first, limited in number and bytes. */
  readonly calls: SimulatorCall[]
  readonly settings: {
    /** Whether calls are recorded. */
    readonly record: boolean
  }
  /** The number of requests so far. It is never reset, so that IDs derived from it remain unique. */
  requestCount: number
}

export interface SimulatorCall {
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
  readonly routes: readonly Route<State>[]
  /** The headers of errors. */
  presentHeaders?(exchange: Exchange): OutgoingHttpHeaders
}

/** An error answer in a vendor's format. Handlers throw it. */
export class Refusal extends Error {
  readonly status: number
  readonly body: unknown
  readonly headers: OutgoingHttpHeaders

  constructor(refusal: { status: number; body: unknown; headers?: OutgoingHttpHeaders }) {
    super(`refused with ${refusal.status}`)
    this.status = refusal.status
    this.body = refusal.body
    this.headers = refusal.headers ?? {}
  }
}

/** An error of a simulator itself. */
export function refuseWith(status: number, error: string): Refusal {
  return new Refusal({ status, body: { error } })
}

/** Waits `waitMs` (0 means one turn of the event loop), or until the response closes. */
export function pause(response: ServerResponse, waitMs: number): Promise<void> {
  return untilClosedOr(response, signal =>
    waitMs === 0 ? nextTurn(undefined, { signal }) : sleep(waitMs, undefined, { signal }),
  )
}

/** Waits until the socket drains or the response closes. */
export function drained(response: ServerResponse): Promise<void> {
  return untilClosedOr(response, signal => once(response, 'drain', { signal }))
}

/** Waits until either side closes the response. */
export function closed(response: ServerResponse): Promise<void> {
  return untilClosedOr(response, () => new Promise(() => {}))
}

async function untilClosedOr(
  response: ServerResponse,
  start: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  if (response.destroyed) return
  const settled = new AbortController()
  const { signal } = settled
  await Promise.race([once(response, 'close', { signal }), start(signal)])
  settled.abort()
}
