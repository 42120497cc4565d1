import type { KeepAnswer } from '../../domain/idempotency/run-once.ts'
import type { Allowed } from '../../domain/inference/check-key-and-rate.ts'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import type { RequestRecord } from '../../domain/ledger/request-record.ts'
import type { Problem } from '../../schema/errors.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import type { ParseBody, Received } from './receive-body.ts'
import type { WatchedClient } from './watch-client.ts'

/** A kind of paid request: chat, images or tasks. `servePaid` calls its parts in the order of this declaration. */
export interface PaidKind<Asked, Demand extends { rateTokens: number }> {
  /** Content types of the body; JSON unless given. */
  contentTypes?: RegExp | undefined
  /** Whether a request is completed even if its client disconnects. With an `Idempotency-Key`, every request is. */
  outlivesClient?: boolean
  /** Refuses a request because of its headers, after its key is identified. */
  check?(ctx: EdgeContext): void
  /** Returns the parser of the body; JSON unless given. */
  parser?(ctx: EdgeContext): ParseBody
  /** Reads the parsed body as a request of this kind. Throws Problem, which names the parameter. */
  read(edge: Edge, ctx: EdgeContext, received: Received): Asked
  /** Returns the amounts that the request needs of rates and money. Throws Problem. */
  demand(edge: Edge, key: CachedKey, asked: Asked): Demand
  /** Returns the amount that can be reserved when the request is counted, in nano-dollars. */
  amountWithCheck?(edge: Edge, key: CachedKey, demand: Demand): bigint | undefined
  /** Opens the run of a request that its key and rates allow. The run settles the reservation. Must not throw. */
  open(edge: Edge, ctx: EdgeContext, admitted: Admitted<Asked, Demand>): PaidRun
  /** Returns an error in the terms of the request's protocol. */
  explain?(error: unknown, asked: Asked): Problem
}

/** A request that its key and rates allow. */
export interface Admitted<Asked, Demand> {
  asked: Asked
  demand: Demand
  allowed: Allowed
  client: WatchedClient
  /** Stores the response for repeats; undefined if the client sent no `Idempotency-Key`. */
  keep: KeepAnswer | undefined
}

/** An admitted request until its settlement, with its steps in order. */
export interface PaidRun {
  state: RunState
  /** Calls vendors until one answers. A stream's chunks are sent during this step. */
  attempt(): Promise<void>
  /** Charges the request. Resolves when that is durable. */
  settle(): Promise<void>
  /** Sends the response, or the last frames of a stream. */
  respond(): Promise<unknown>
  /** Settles the request after a failure: at no cost, or for the output that its client has received. */
  settleFailed(failure: { isGone: boolean }): Promise<void>
  /**
   * Ends a response that has already begun, with an error. Resolves to false if nothing has been sent, so that the
   * error can have its own status.
   */
  breakOff?(failed: Failed): Promise<boolean>
}

/** The state that every run has. */
export interface RunState {
  /** The log row of the request, filled in by its steps. A repeat may continue the ID and time of an earlier request. */
  record: RequestRecord
  client: WatchedClient
  keep: KeepAnswer | undefined
  /** Whether a part of the answer has been sent to the client. */
  hasReachedClient: boolean
  /** Whether settlement has begun. After that, a failure does not settle the run again. */
  isSettled: boolean
}

/** How a run failed. */
export interface Failed {
  /** The error that the client gets; undefined if it has disconnected. */
  problem: Problem | undefined
  charge: Charge
}

/**
 * The charge of a failed run: none, durable and in the record, or unknown because its settlement took too long. Unless it
 * is none, a repeat must not run.
 */
export type Charge = 'none' | 'durable' | 'unknown'

/**
 * Begins the settlement of a run. Returns whether it is delivered: the client has a part of the answer, or has
 * disconnected after the vendor was called. A delivered answer is charged even if its settlement takes long.
 */
export function beginSettlement(state: RunState): { isDelivered: boolean } {
  state.isSettled = true
  if (state.record.status === 0) state.record.status = 200
  return { isDelivered: state.hasReachedClient || state.client.hasLeft }
}
