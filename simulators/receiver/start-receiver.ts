import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Clock } from '../../platform/clock.ts'
import { control, openCallLog } from '../server/calls.ts'
import { serve } from '../server/serve.ts'
import type { ReceivedCallback, ReceiverSettings, ReceiverState } from './receiver.ts'
import { receiver } from './routes.ts'

export interface RunningReceiver {
  readonly url: string
  /** What it received, live: the oldest first, at most 1,000. */
  readonly callbacks: readonly ReceivedCallback[]
  /** Changes any of the settings; the others stay. */
  change(settings: Partial<ReceiverSettings>): void
  /** Stops listening and cuts the connections that are still open. */
  close(): Promise<void>
}

export interface ReceiverOptions {
  /** 0 takes a free one. */
  port?: number
  host?: string
  /** The secrets of the account, as they are when a callback arrives: whatever verifies by one of them counts. */
  secrets(): readonly string[]
  settings?: Partial<ReceiverSettings>
  /** Is told each callback. */
  onCallback?(callback: ReceivedCallback): void
}

const wallClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() }

/** Starts a receiver of callbacks that verifies each, keeps it, and answers as its path and its settings say. */
export async function startReceiver(options: ReceiverOptions): Promise<RunningReceiver> {
  const { port = 0, host = '127.0.0.1', secrets, onCallback = () => {} } = options
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
  const server = createServer(serve(state, [control, receiver]))
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  const listening = typeof address === 'object' && address ? address.port : port
  return {
    url: `http://${host}:${listening}`,
    callbacks: state.callbacks,
    change: settings => void Object.assign(state.settings, settings),
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
