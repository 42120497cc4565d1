import { type Clock, systemClock } from '../../platform/clock.ts'
import type { Api, Handler as ServerHandler, ServerState } from '../server/exchange.ts'
import type { ServiceAccount } from './hosts/vertex.ts'
import type { GeneratedFile } from './media/files.ts'
import type { Generation } from './media/generation.ts'

const defaultSettings = {
  /** Delay before the first byte of each answer, in milliseconds. */
  latencyMs: 0,
  /** Delay between two chunks of a stream, in milliseconds. */
  chunkDelayMs: 0,
  /** Whether calls are recorded. */
  record: true,
  /** Whether prompts must begin with a salt, which separates the caches of a client's users; for Gemini and `compatible`. */
  requireSalt: false,
  /** Duration of a media generation, in milliseconds. */
  generationMs: 0,
}

/** The settings that can be changed while the simulator runs. */
export type Settings = typeof defaultSettings

/** The state of a simulator, which every handler receives. */
export interface Simulator extends ServerState {
  readonly settings: Settings
  /** The number of failures so far of each `flaky` fault. */
  readonly failures: Map<string, number>
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

export function createSimulator(clock: Clock = systemClock, settings: Partial<Settings> = {}): Simulator {
  return {
    ...{ clock, calls: [], requestCount: 0, serviceAccount: undefined },
    ...initialState(settings),
  }
}

/** Restores the initial state, except for the service account and the count of requests. */
export function resetSimulator(simulator: Simulator, settings: Partial<Settings> = {}): void {
  simulator.calls.length = 0
  Object.assign(simulator, initialState(settings))
}

function initialState(settings: Partial<Settings>) {
  return {
    settings: { ...defaultSettings, ...settings },
    ...{ failures: new Map(), cachedPrefixes: new Map(), accessTokens: new Map() },
    ...{ generations: new Map(), submitted: new Map(), files: new Map() },
  }
}
