/** The state of a worker, which it sends to the process that started it every `reportIntervalMs` while it serves. */
export interface Report {
  /** The share of its capacity that is used. From 1 on, it is busy. */
  fullness: number
  /** Number of open connections of clients. */
  connections: number
}

/** The role of a worker. It applies until the worker receives another one. */
export interface Role {
  /** Whether it accepts connections. */
  accepts: boolean
  /** Whether it also accepts connections while it is busy, because all workers are. */
  acceptsWhileBusy: boolean
  /** Number of connections that it closes after their next response. Their clients then connect to another worker. */
  connectionsToEnd: number
}

/** Interval of reports, in milliseconds. */
export const reportIntervalMs = 100

/** The message of a worker that accepts no more requests and lets those in flight end. */
export const draining = 'draining'

/** The file descriptor of the first socket of the shared port in a worker. Those before are its standard streams and messages. */
export const firstSocket = 4
