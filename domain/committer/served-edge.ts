import type { MessageSocket } from '../../platform/ipc/message-socket.ts'
import type { Context } from '../context.ts'
import type { HeldReservation } from '../ledger/hold.ts'
import type { Ledger, Settlement } from '../ledger/ledger.ts'
import type { Rates } from '../rates/check-rate.ts'
import type { RateResult } from '../rates/window.ts'
import type { Reply } from './messages.ts'

/** What all connections of a committer share. */
export interface CommitterState {
  readonly context: Context
  /** The ID of this start of the committer. */
  readonly id: string
  /** The version of the messages, which edge processes must share. */
  readonly build: string
  readonly ledger: Ledger
  readonly rates: Rates
}

/** An edge process that is connected. */
export interface ServedEdge {
  readonly committer: CommitterState
  readonly messages: MessageSocket<Reply>
  /** The reservations of requests that have not settled, by number. */
  readonly reservations: Map<number, HeldReservation>
  readonly settlements: Map<number, RunningSettlement>
  /** The late results of Redis for checks that the committer decided by itself, by call. */
  readonly lateResults: Map<number, Promise<RateResult | undefined>>
  isWelcome: boolean
  isGone: boolean
  /** Ticks since the edge process sent something. */
  quietTicks: number
}

/** A settlement that has not ended. */
export interface RunningSettlement {
  /** The item in the commit queue; undefined before it is submitted. */
  item: Settlement | undefined
  /** Whether the client got an error in place of the answer, or nothing. */
  isUnanswered: boolean
  /** Whether the edge process has the error of a settlement that continues. */
  hasFailed: boolean
}
