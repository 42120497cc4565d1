import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Clock } from '../../platform/clock.ts'
import { control } from '../server/calls.ts'
import type { SimulatorCall } from '../server/exchange.ts'
import { serve } from '../server/serve.ts'
import { anthropic } from './anthropic/routes.ts'
import { gemini } from './gemini/routes.ts'
import { azure } from './hosts/azure.ts'
import { bedrock } from './hosts/bedrock.ts'
import { compatible } from './hosts/compatible.ts'
import { vertex } from './hosts/vertex.ts'
import { mediaFiles } from './media/files.ts'
import { openai } from './openai/routes.ts'
import { predictions } from './queues/predictions.ts'
import { requestQueue } from './queues/requests.ts'
import { tasks } from './queues/tasks.ts'
import { createSimulator, resetSimulator, type Settings, type VendorApi } from './simulator.ts'

const apis: readonly VendorApi[] = [
  ...[control, openai, compatible, anthropic, bedrock, gemini, vertex, azure],
  ...[requestQueue, predictions, tasks, mediaFiles],
]

export interface RunningSimulator {
  /** Where it listens: vendor_a's base URL is `{url}/openai/v1`. */
  readonly url: string
  /** The calls received, live: the oldest first, at most 1,000. */
  readonly calls: readonly SimulatorCall[]
  /** Forgets calls, caches and counted failures, and returns to the settings it started with. */
  reset(): void
  setLatencyMs(latencyMs: number): void
  /** Changes any of the settings; the others stay. */
  change(settings: Partial<Settings>): void
  /** Stops listening and cuts the connections that are still open. */
  close(): Promise<void>
}

export interface SimulatorOptions {
  /** 0 takes a free one. */
  port?: number
  host?: string
  /** The time by which prompt caches age. */
  clock?: Clock
  settings?: Partial<Settings>
}

/** Starts a simulator in this process. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<RunningSimulator> {
  const { port = 0, host = '127.0.0.1', clock, settings } = options
  const simulator = createSimulator({ clock, settings })
  const server = createServer({ keepAliveTimeout: 75_000 }, serve(simulator, apis))
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  const boundPort = typeof address === 'object' && address ? address.port : port
  return {
    url: `http://${host}:${boundPort}`,
    calls: simulator.calls.entries,
    reset: () => resetSimulator(simulator, settings),
    setLatencyMs: latencyMs => {
      simulator.settings.latencyMs = latencyMs
    },
    change: changed => {
      Object.assign(simulator.settings, changed)
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
