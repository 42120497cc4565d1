import { type Clock, systemClock } from '../../platform/clock.ts'
import { type CallLog, clearCalls, openCallLog } from './calls/call-log.ts'
import type { ServiceAccount } from './vertex/service-account.ts'

/** What a test or an operator may change while the simulator runs. */
export interface Settings {
  /** Milliseconds before the first byte of every answer of a model. */
  latencyMs: number
  /** Milliseconds between two chunks of every stream. */
  chunkDelayMs: number
  /** Whether calls are kept for observation; off for benchmarks. */
  record: boolean
  /** Prompts shorter than this are never cached. */
  cacheMinimumTokens: number
  /** Whether prompts must begin with a salt, where a host keeps its users' caches apart by one: Gemini, `compatible`. */
  requireSalt: boolean
}

/** The state of one simulator: plain data that every handler is given. */
export interface Simulator {
  readonly clock: Clock
  readonly settings: Settings
  readonly calls: CallLog
  /** When each cached prefix was last used, in milliseconds; the longest unused comes first. */
  readonly cachedPrefixes: Map<string, number>
  /** How often each `flaky` fault has failed so far. */
  readonly failures: Map<string, number>
  /** The account that Vertex knows, once it was asked for. */
  serviceAccount: ServiceAccount | undefined
  /** When each access token that was given expires, in milliseconds. */
  readonly accessTokens: Map<string, number>
  /** Requests received so far; never set back, so that ids made of it stay unique. */
  requestCount: number
}

export const defaultSettings: Readonly<Settings> = {
  latencyMs: 0,
  chunkDelayMs: 0,
  record: true,
  cacheMinimumTokens: 1024,
  requireSalt: false,
}

export function createSimulator(options: { clock?: Clock; settings?: Partial<Settings> } = {}): Simulator {
  return {
    clock: options.clock ?? systemClock,
    settings: { ...defaultSettings, ...options.settings },
    calls: openCallLog(),
    cachedPrefixes: new Map(),
    failures: new Map(),
    serviceAccount: undefined,
    accessTokens: new Map(),
    requestCount: 0,
  }
}

/** Back to the state it started with: no calls, nothing cached, no failures counted, the given settings. */
export function resetSimulator(simulator: Simulator, settings: Partial<Settings> = {}): void {
  clearCalls(simulator.calls)
  simulator.cachedPrefixes.clear()
  simulator.failures.clear()
  simulator.accessTokens.clear()
  Object.assign(simulator.settings, defaultSettings, settings)
}
