import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { SimulatorCall } from '../calls/call-log.ts'
import type { Simulator } from '../simulator.ts'
import type { Body } from './read-body.ts'
import type { Refusal } from './refusal.ts'

/** One request, received whole, and the response that is owed to it. */
export interface Exchange {
  /** Counts the requests of this simulator, from 1: what ids are made of. */
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

/** Answers one exchange, or throws a `Refusal`. */
export type Handler = (simulator: Simulator, exchange: Exchange) => Promise<void> | void

export interface Route {
  readonly method: string
  /** The exact path, or a pattern of the whole path whose named groups become `params`. */
  readonly path: string | RegExp
  readonly handle: Handler
}

/** One vendor's way to speak: its routes, and its words for what it does not know. */
export interface WireFormat {
  /** What every path of the format starts with. */
  readonly prefix: string
  /** Whether its calls are kept for observation; they are unless this says false. */
  readonly isRecorded?: boolean
  readonly routes: readonly Route[]
  /** What the vendor adds to every answer, refusals included. */
  presentHeaders(exchange: Exchange): OutgoingHttpHeaders
  refuseUnknown(method: string, path: string): Refusal
  refuseTooLarge(): Refusal
}
