/**
 * Idle time before TCP probes a connection, in seconds. A peer that is no longer reachable is detected within 15
 * seconds.
 */
export const keepAliveSeconds = 5

/** The same for the server's side, which then ends the session and releases its locks. */
export const serverKeepAlive = {
  tcp_keepalives_idle: keepAliveSeconds,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 3,
} as const

/** Returns `serverKeepAlive` as the connection option `options`. */
export const serverKeepAliveOptions = Object.entries(serverKeepAlive)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')
