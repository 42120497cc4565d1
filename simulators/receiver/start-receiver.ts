import { systemClock } from '../../platform/clock.ts'
import { type ListenOptions, listen, type RunningServer } from '../server/serve.ts'
import type { ReceivedCallback, ReceiverState } from './receiver.ts'
import { receiver } from './routes.ts'

interface RunningReceiver extends RunningServer<ReceiverState> {
  /** A live view of the latest 1,000 callbacks, oldest first. */
  readonly callbacks: readonly ReceivedCallback[]
}

interface ReceiverOptions extends ListenOptions {
  /** Returns the account's current secrets. A callback is valid if one of them verifies it. */
  secrets(): readonly string[]
  /** Called with each callback. */
  onCallback?(callback: ReceivedCallback): void
}

/** Starts a server that verifies and stores callbacks. Its path and settings determine the answer. */
export async function startReceiver(options: ReceiverOptions): Promise<RunningReceiver> {
  const { secrets, onCallback = () => {} } = options
  const state: ReceiverState = {
    settings: { record: false, answerStatus: 204 },
    ...{ clock: systemClock, calls: [], requestCount: 0, callbacks: [], secrets, onCallback },
  }
  return { ...(await listen(state, [receiver], options)), callbacks: state.callbacks }
}
