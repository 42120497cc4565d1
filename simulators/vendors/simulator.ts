import type { Api, Handler as ServerHandler, ServerState } from '../server/exchange.ts'
import type { ServiceAccount } from './hosts/vertex.ts'
import type { Generation } from './media/generation.ts'
import type { PromptCache } from './model/prompt-cache.ts'

export const defaultSettings = {
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
  /** The number of failures so far by the key of a `flaky` fault, the ID of a generation or the name of a file. */
  readonly failures: Map<string, number>
  readonly promptCache: PromptCache
  /** The service account of Vertex, created on first use. */
  serviceAccount: ServiceAccount | undefined
  /** The expiry of each access token, in Unix milliseconds. */
  readonly accessTokens: Map<string, number>
  /** Media generations by ID, oldest first. */
  readonly generations: Map<string, Generation>
  /** Generations by caller and idempotency key. */
  readonly submitted: Map<string, Generation>
}

export type Handler = ServerHandler<Simulator>
export type VendorApi = Api<Simulator>
