/** Who is measured. */
export type Side = 'floor' | 'edge'

/** What is measured: a load that floor and edge bear by turns. */
export interface Scenario {
  /** For `--only`. */
  name: string
  /** For the table. */
  says: string
  load: Load
  /** The other side, when it is not the edge: the floor against itself shows how much is noise. */
  against?: Side
  /** What the edge must reach. */
  target?: Target
}

export interface Load {
  /** Closed loop on so many connections, or open loop at so many requests a second. */
  shape: { connections: number } | { perSecond: number }
  /** How many API keys take turns. */
  keys: number
  /** Pieces of text in a streamed answer; whole answers without. */
  streamChunks?: number
  /** How long the upstream waits before its first byte; none without. */
  upstreamLatencyMs?: number
}

export type Target =
  /** Of the floor's requests per second. */
  | { kind: 'ratio'; atLeast: number }
  /** Milliseconds at the median beyond the floor's. */
  | { kind: 'added'; atMostMs: number }
