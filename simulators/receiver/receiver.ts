import type { ServerSettings, ServerState } from '../server/exchange.ts'
import type { Json } from '../server/json.ts'

/** What a test or an operator may change while the receiver runs, over `/__sim/settings` in snake case. */
export interface ReceiverSettings extends ServerSettings {
  /** What it answers to callbacks, where their path does not say otherwise. */
  answerStatus: number
}

/** A callback as it arrived. */
export interface ReceivedCallback {
  /** The `webhook-id`. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly path: string
  /** Whether its signature is one of the account's, and its time is now. */
  readonly isVerified: boolean
  /** Why not. */
  readonly fault?: string
  readonly body: Json
  /** What it was answered. */
  readonly status: number
}

export interface ReceiverState extends ServerState {
  settings: ReceiverSettings
  readonly callbacks: ReceivedCallback[]
  secrets(): readonly string[]
  onCallback(callback: ReceivedCallback): void
}
