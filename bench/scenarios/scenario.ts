import type { AttackName } from '../attack/attacks.ts'

/** Who is measured. */
export type Side = 'floor' | 'edge'

/** A measured scenario. */
export type Scenario =
  | FloorScenario
  | Comparison
  | OpenStreams
  | Overload
  | Growth
  | Tasks
  | Deliveries
  | Graph
  | Neighbour

interface Named {
  /** For `--only`. */
  name: string
  /** For the table. */
  says: string
}

/** A load that floor and edge bear by turns. */
export interface FloorScenario extends Named {
  load: Load
  /** The other side, when it is not the edge: the floor against itself shows how much is noise. */
  against?: Side
  targets?: Targets
}

/** Two loads that the edge bears by turns: what the one takes of its CPU, as a share of what the other takes. */
export interface Comparison extends Named {
  load: Load
  base: Load
  /** The most that the edge may spend on an answer, in parts of what it spends on one of the base. */
  atMostCpuRatio?: number
}

/** Streams that are open at the same time on one edge process and say something now and then. */
export interface OpenStreams extends Named {
  open: { streams: number; model: string; chunks: number; everyMs: number }
  /** Resident memory of the edge for each of them. */
  atMostBytesEach?: number
}

/** So many times what the edge serves at most, asked whether answered or not. */
export interface Overload extends Named {
  overload: { times: number; keys: number; peakConnections: number }
  /** Minimum throughput under overload, as a share of the maximum throughput. */
  atLeastGoodput?: number
}

/** One load on more and more edge processes, then on more and more keys. */
export interface Growth extends Named {
  growth: { edges: number[]; keysOfEdges: number; keys: number[]; connections: number }
}

/** Tasks that are submitted in a closed loop, then carried to their end by one worker. */
export interface Tasks extends Named {
  tasks: { connections: number; running: number; durationMs: number; bytes: number }
  atLeastSubmitsPerSecond?: number
  atLeastFinishedPerSecond?: number
}

/** Tasks with subscribers and callbacks: the delay of notifications, and the rate of storing files. */
export interface Deliveries extends Named {
  /** How long the vendor takes for each, and how large a file it makes. */
  deliver: { count: number; takeMs: number; bytes: number }
  /** From when the worker asked for the file, at the median. */
  atMostWatcherMs?: number
  atMostCallbackMs?: number
  /** Of the worker, beyond what it had after as many small ones. */
  atMostGrownBytes?: number
}

/** The queries of the console on each way to their answers (`graph/start-ways.ts`). */
export interface Graph extends Named {
  clients: number
  /** Minimum requests per second of the spread graph, relative to @apollo/gateway over the same subgraphs. */
  atLeastOfReference: number
  /** CPU of the account with its balance and ten keys, in one process. */
  atMostCpuMs: number
}

/** A neighbour with a small, steady load, alone and while another account attacks the same process. */
export interface Neighbour extends Named {
  attack: AttackName
  perSecond: number
  /** The neighbour's latencies under attack, in multiples of its latencies alone. */
  atMostP50: number
  atMostP99: number
}

export interface Load {
  /** A closed loop on a number of connections, an open loop at a rate per second, or a number of requests once. */
  shape: { connections: number } | { perSecond: number } | { once: number }
  /** How many API keys take turns. */
  keys: number
  /** In whose words clients ask; chat completions without. */
  protocol?: 'chat' | 'responses' | 'images' | 'graph'
  /** The model; unless given, a model of vendor_a, the only vendor that the floor can call. */
  model?: string
  /** Bytes of an image. */
  imageBytes?: number
  /** Pieces of text in a streamed answer; whole answers without. */
  streamChunks?: number
  /** How long the upstream waits between them; not at all without. */
  chunkEveryMs?: number
  /** How long the upstream waits before its first byte; none without. */
  upstreamLatencyMs?: number
  /** A 503 is an answer too. */
  mayBeRefused?: boolean
}

/** The edge's targets, relative to the floor in the same run. */
export interface Targets {
  /** Minimum requests per second, relative to the floor. */
  ratio?: number
  /** CPU of the edge for an answer, in parts of the floor's, at most. */
  edgeCpu?: number
  /** CPU of Postgres for an answer in milliseconds, at most. */
  postgresMs?: number
  /** Milliseconds beyond the floor's at most, at the median and at the 99th percentile. */
  addedP50Ms?: number
  addedP99Ms?: number
}
