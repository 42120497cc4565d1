import { systemClock } from '../../platform/clock.ts'
import { clearCalls, openCallLog } from '../server/calls.ts'
import type { Api, Handler as ServerHandler, ServerSettings, ServerState } from '../server/exchange.ts'
import type { ServiceAccount } from './hosts/vertex.ts'
import type { Generation, MadeFile } from './media/generation.ts'

/** What a test or an operator may change while the simulator runs. */
export interface Settings extends ServerSettings {
  /** Prompts shorter than this are never cached. */
  cacheMinimumTokens: number
  /** Whether prompts must begin with a salt, which keeps the caches of a host's users apart: Gemini, `compatible`. */
  requireSalt: boolean
  /** Milliseconds that a generation of media takes once it was submitted, or before an image is answered. */
  generationMs: number
}

/** The state of one simulator: plain data that every handler is given. */
export interface Simulator extends ServerState {
  readonly settings: Settings
  /** When each cached prefix was last used, in milliseconds; the longest unused comes first. */
  readonly cachedPrefixes: Map<string, number>
  /** The account that Vertex knows, made when it is first needed. */
  serviceAccount: ServiceAccount | undefined
  /** When each access token that was given expires, in milliseconds. */
  readonly accessTokens: Map<string, number>
  /** Generations of media by their id, the oldest first. */
  readonly generations: Map<string, Generation>
  /** Generations by the caller and the idempotency key with which they were submitted. */
  readonly submitted: Map<string, Generation>
  /** Generated files by their name. */
  readonly files: Map<string, MadeFile>
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

/** Back to the state it started with: no calls, nothing cached, no failures counted, the given settings. */
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
