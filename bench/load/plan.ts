/** The endpoint that clients call: chat completions, responses, images, or `/graphql`. */
export type Protocol = 'chat' | 'responses' | 'images' | 'graph'

/** A kind of load. */
export interface Load {
  /**
   * A closed loop, in which each connection sends the next request after the response, or only one request if `isOnce`;
   * or an open loop at a fixed rate on as many connections as needed.
   */
  shape: { connections: number; isOnce?: true } | { perSecond: number }
  /** Number of API keys, which take turns. */
  keys: number
  /** The positions of the keys that requests use one after the other; all in turn unless given. */
  positions?: readonly number[]
  /** Chat unless given. */
  protocol?: Protocol
  /** A chat model of vendor_a unless given, the only vendor that the floor can call. */
  model?: string
  /** Number of pieces of text in a streamed answer. Answers are whole unless given. */
  streamChunks?: number
  /** Delay of the upstream between the pieces, in milliseconds. */
  chunkEveryMs?: number
  /** Delay of the upstream before its first byte, in milliseconds. */
  upstreamLatencyMs?: number
  /** Size of an image. */
  imageBytes?: number
  /** Size of the earlier turns of a chat, in bytes; none unless given. */
  historyBytes?: number
  /** Whether a 503 is counted separately and is no fault. */
  mayBeRefused?: boolean
}

/** The duration of a round. */
export interface Lengths {
  /** Time before responses count. */
  warmUpSeconds: number
  seconds: number
}

/** One round of load on one server, which the load process receives. */
export interface LoadPlan extends Omit<Load, 'keys' | 'positions'>, Lengths {
  port: number
  keys: string[]
}

/** The result of a round. */
export interface LoadResult {
  /** Number of correct responses, including those during warm-up and after the end. */
  answers: number
  /** Correct responses per second, in the time that counts. */
  perSecond: number
  /** Time from when a request was due to its complete response. */
  p50Ms: number
  p99Ms: number
  /** The same for refusals; 0 without any. */
  refusedPerSecond: number
  refusedP50Ms: number
  refusedP99Ms: number
  /** Delay of sending in an open loop, which is part of the durations above. */
  lateP99Ms: number
  /** Number of wrong or missing responses, and the first different faults. */
  wrong: number
  faults: string[]
}
