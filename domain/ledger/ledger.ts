import type { GroupCommit } from '../../platform/group-commit.ts'
import type { PostgresLine } from '../../platform/postgres/open-line.ts'
import type { Context } from '../context.ts'
import type { Hold } from './hold.ts'
import type { LaneItem, LaneResult } from './lane.ts'

/** This process's side of the ledger: its holds, and the lane on which all its money statements go. */
export interface Ledger {
  readonly context: Context
  readonly processId: string
  readonly kind: string
  /** By key id. */
  readonly holds: Map<string, Hold>
  /** A connection of its own: money statements run in the order in which they are given. */
  readonly line: PostgresLine
  readonly lane: GroupCommit<LaneItem, LaneResult>
  /** Holds must not be used after this moment (milliseconds since 1970): they may have lapsed. */
  trustedUntil: number
  /** A heartbeat under way, so that there is one at a time. */
  beating: Promise<void> | undefined
  /** When room of an account was last called back, so that refusals do not flood the news. */
  readonly recalledAt: Map<string, number>
  readonly timers: NodeJS.Timeout[]
  readonly subscriptions: (() => void)[]
}

/** A heartbeat goes out this often. */
export const heartbeatMs = 1_000

/** After so long without a heartbeat a process stops using its holds… */
export const trustMs = 6_000

/** …well before the others let them lapse. */
export const lapseAfterMs = 10_000

/** Room that is not used for so long is given back. */
export const idleRoomMs = 45_000

/** A request waits at most so long for its money to be reserved. */
export const reserveTimeoutMs = 5_000

/** What a hold reserves is shown in the balance at most so much later. */
export const showAfterMs = 250
