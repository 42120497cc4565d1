import { systemClock } from '../../platform/clock.ts'
import { clearCalls, openCallLog } from '../server/calls.ts'
import type { Api, Handler as ServerHandler, ServerSettings, ServerState } from '../server/exchange.ts'
import type { ServiceAccount } from './hosts/vertex.ts'
import type { GeneratedFile } from './media/files.ts'
import type { Generation } from './media/generation.ts'

/** The settings that can be changed while the simulator runs. */
export interface Settings extends ServerSettings {
  /** Minimum length of a cached prompt, in tokens. */
  cacheMinimumTokens: number
  /** Whether prompts must begin with a salt, which separates the caches of a client's users; for Gemini and `compatible`. */
  requireSalt: boolean
  /** Duration of a media generation, in milliseconds. */
  generationMs: number
}

/** The state of a simulator, which every handler receives. */
export interface Simulator extends ServerState {
  readonly settings: Settings
  /** The time of last use of each cached prefix, in Unix milliseconds; the least recently used first. */
  readonly cachedPrefixes: Map<string, number>
  /** The service account of Vertex, created on first use. */
  serviceAccount: ServiceAccount | undefined
  /** The expiry of each access token, in Unix milliseconds. */
  readonly accessTokens: Map<string, number>
  /** Media generations by ID, oldest first. */
  readonly generations: Map<string, Generation>
  /** Generations by caller and idempotency key. */
  readonly submitted: Map<string, Generation>
  readonly files: Map<string, GeneratedFile>
}

export type Handler = ServerHandler<Simulator>
export type VendorApi = Api<Simulator>

const defaultSettings: Readonly<Settings> = {
  latencyMs: 0,
  chunkDelayMs: 0,
  record: true,
  cacheMinimumTokens: 1024,
  requireSalt: false,
  generationMs: 0,
}

export function createSimulator({
  clock = systemClock,
  settings = {},
}: Partial<Pick<Simulator, 'clock'>> & { settings?: Partial<Settings> } = {}): Simulator {
  return {
    clock,
    settings: { ...defaultSettings, ...settings },
    calls: openCallLog(),
    cachedPrefixes: new Map(),
    failures: new Map(),
    serviceAccount: undefined,
    accessTokens: new Map(),
    generations: new Map(),
    submitted: new Map(),
    files: new Map(),
    requestCount: 0,
  }
}

/** Deletes everything but the service account, and restores the default settings, changed by `settings`. */
export function resetSimulator(simulator: Simulator, settings: Partial<Settings> = {}): void {
  clearCalls(simulator.calls)
  simulator.cachedPrefixes.clear()
  simulator.failures.clear()
  simulator.accessTokens.clear()
  simulator.generations.clear()
  simulator.submitted.clear()
  simulator.files.clear()
  Object.assign(simulator.settings, defaultSettings, settings)
}
