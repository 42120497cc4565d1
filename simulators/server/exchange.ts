import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../platform/clock.ts'
import type { Json } from './json.ts'

/** The state that every simulator has. */
export interface ServerState {
  readonly clock: Clock
  /** The latest calls, oldest first. */
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

/** A request with its whole body. */
export interface Exchange {
  /** The number of the request, starting at 1. The IDs of answers are derived from it. */
  readonly id: number
  readonly request: IncomingMessage
  /** The scheme and host that the client called, for URLs in answers. */
  readonly origin: string
  /** The path without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** The decoded groups of the route's pattern. */
  readonly params: Readonly<Record<string, string>>
  readonly bytes: Buffer
  /** The parsed body; undefined unless it is valid JSON with a JSON content type. */
  readonly json: Json | undefined
  /** Aborted when either side closes the response. */
  readonly signal: AbortSignal
}

/** One piece of a stream: an SSE event, or bytes. */
export type Frame = string | Uint8Array

export interface Answer {
  readonly status?: number
  /** The default content type is JSON. */
  readonly headers?: OutgoingHttpHeaders
  /** A string is sent unchanged, any other value as JSON. */
  readonly body?: unknown
  /** The pieces of a stream, which is sent instead of `body`. A thrown `ConnectionCut` closes the connection. */
  readonly frames?: Iterable<Frame> | AsyncIterable<Frame>
}

/** Returns the answer to an exchange, or throws a `Refusal`. */
export type Handler<State extends ServerState> = (
  state: State,
  exchange: Exchange,
) => Answer | Promise<Answer>

export interface Api<State extends ServerState> {
  /** The handlers by method and path, a pattern of `URLPattern`: `GET /files/:name`. The first match counts. */
  readonly routes: Readonly<Record<string, Handler<State>>>
  /** The headers of all answers. */
  presentHeaders?(exchange: Exchange): OutgoingHttpHeaders
}

/** An error answer in a vendor's format. Handlers throw it. */
export class Refusal extends Error {
  readonly answer: Answer

  constructor(answer: Answer) {
    super(`refused with ${answer.status}`)
    this.answer = answer
  }
}

/** An error of a simulator itself. */
export function refuseWith(status: number, error: string): Refusal {
  return new Refusal({ status, body: { error } })
}

/** Thrown by a stream to close the connection after the frames so far are sent. */
export class ConnectionCut extends Error {}

/** Waits `waitMs`, or until the response closes. */
export async function pause({ signal }: Exchange, waitMs: number): Promise<void> {
  await sleep(waitMs, undefined, { signal }).catch(() => {})
}

/** Waits until the client closes the response. */
export function closed(exchange: Exchange): Promise<void> {
  return pause(exchange, 2 ** 31 - 1)
}
