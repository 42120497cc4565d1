import type { ServerState } from '../server/exchange.ts'
import type { Json } from '../server/json.ts'

/** The settings that can be changed while the receiver runs. */
export interface Settings {
  readonly record: boolean
  /** The status of answers, unless the path sets another one. */
  answerStatus: number
}

export interface ReceivedCallback {
  /** The header `webhook-id`. */
  readonly id: string
  /** When it arrived, in Unix milliseconds. */
  readonly at: number
  readonly path: string
  /** Whether its signature and its timestamp are valid. */
  readonly isVerified: boolean
  /** The reason why it is not verified. */
  readonly fault?: string | undefined
  readonly body: Json
  /** The status of the answer. */
  readonly status: number
}

export interface ReceiverState extends ServerState {
  readonly settings: Settings
  readonly callbacks: ReceivedCallback[]
  secrets(): readonly string[]
  onCallback(callback: ReceivedCallback): void
}
