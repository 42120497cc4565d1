import type { Clock } from '../../platform/clock.ts'
import { control, openCallLog } from '../server/calls.ts'
import { type ListenOptions, listen, type RunningServer } from '../server/serve.ts'
import type { ReceivedCallback, ReceiverSettings, ReceiverState } from './receiver.ts'
import { receiver } from './routes.ts'

export interface RunningReceiver extends RunningServer {
  /** A live view of the latest 1,000 callbacks, oldest first. */
  readonly callbacks: readonly ReceivedCallback[]
  /** Changes the given settings and keeps the others. */
  change(settings: Partial<ReceiverSettings>): void
}

export interface ReceiverOptions extends ListenOptions {
  /** Returns the account's current secrets. A callback is valid if one of them verifies it. */
  secrets(): readonly string[]
  settings?: Partial<ReceiverSettings>
  /** Called with each callback. */
  onCallback?(callback: ReceivedCallback): void
}

const wallClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() }

/** Starts a server that verifies and stores callbacks. Its path and settings determine the answer. */
export async function startReceiver(options: ReceiverOptions): Promise<RunningReceiver> {
  const { secrets, onCallback = () => {} } = options
  const state: ReceiverState = {
    clock: wallClock,
    settings: { latencyMs: 0, chunkDelayMs: 0, record: true, answerStatus: 204, ...options.settings },
    calls: openCallLog(),
    failures: new Map(),
    requestCount: 0,
    callbacks: [],
    secrets,
    onCallback,
  }
  const server = await listen(state, [control, receiver], options)
  return {
    ...server,
    callbacks: state.callbacks,
    change: settings => void Object.assign(state.settings, settings),
  }
}
