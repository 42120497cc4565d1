import { type Clock, systemClock } from '../../platform/clock.ts'
import { type ListenOptions, listen, type RunningServer } from '../server/serve.ts'
import { anthropic } from './anthropic/routes.ts'
import { gemini } from './gemini/routes.ts'
import { azure } from './hosts/azure.ts'
import { bedrock } from './hosts/bedrock.ts'
import { compatible } from './hosts/compatible.ts'
import { vertex } from './hosts/vertex.ts'
import { mediaFiles } from './media/files.ts'
import { openPromptCache } from './model/prompt-cache.ts'
import { openai } from './openai/routes.ts'
import { predictions } from './queues/predictions.ts'
import { requestQueue } from './queues/requests.ts'
import { tasks } from './queues/tasks.ts'
import { defaultSettings, type Settings, type Simulator, type VendorApi } from './simulator.ts'

const apis: readonly VendorApi[] = [
  ...[openai, compatible, anthropic, bedrock, gemini, vertex, azure],
  ...[requestQueue, predictions, tasks, mediaFiles],
]

/** A running simulator. The base URL of `vendor_a` is `{url}/openai/v1`. */
export interface RunningSimulator extends RunningServer<Simulator> {
  /** Deletes calls, caches, generations and failure counts, and restores the settings it was started with. */
  reset(): void
}

interface SimulatorOptions extends ListenOptions {
  /** The clock by which prompt caches and generations age. */
  readonly clock?: Clock
  readonly settings?: Partial<Settings>
}

export async function startSimulator(options: SimulatorOptions = {}): Promise<RunningSimulator> {
  const { clock = systemClock, settings } = options
  const initial = () => ({
    settings: { ...defaultSettings, ...settings },
    ...{ failures: new Map(), promptCache: openPromptCache(clock), accessTokens: new Map() },
    ...{ generations: new Map(), submitted: new Map() },
  })
  const simulator: Simulator = {
    ...{ clock, calls: [], requestCount: 0, serviceAccount: undefined },
    ...initial(),
  }
  const server = await listen(simulator, apis, options)
  return {
    ...server,
    reset() {
      simulator.calls.length = 0
      Object.assign(simulator, initial())
    },
  }
}
