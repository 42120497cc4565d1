/** The limits of an edge process that suit every deployment. Tests pass other values to `startEdge`. */
export interface EdgeLimits {
  /**
   * Maximum time in which a request body arrives, in milliseconds, plus one second for each 64 kB. A body that arrives
   * more slowly occupies memory and a share of the process.
   */
  bodyTimeoutMs: number
  /** Maximum time for which a client reads nothing of a response, in milliseconds. The unread part occupies memory. */
  stalledReaderMs: number
  /**
   * Interval after which a silent stream sends a comment, in milliseconds. Common proxies cut connections that are
   * silent for 30 to 60 seconds.
   */
  keepAliveMs: number
  /**
   * Maximum number of requests from one client address that are forwarded to the control plane at the same time, so
   * that one address cannot occupy it. IPv6: one /64 network; a /48 has four times as many.
   */
  proxiedPerAddress: number
  /**
   * Maximum number of stored files that are sent to one client address at the same time, so that one address cannot
   * occupy the storage. IPv6: one /64 network; a /48 has four times as many.
   */
  mediaPerAddress: number
}

export const edgeLimits: Readonly<EdgeLimits> = {
  bodyTimeoutMs: 20_000,
  stalledReaderMs: 30_000,
  keepAliveMs: 15_000,
  proxiedPerAddress: 64,
  mediaPerAddress: 128,
}
