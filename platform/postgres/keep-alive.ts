/** Idle time before TCP probes a connection, in seconds. A peer that left the network is noticed within 15 seconds. */
export const keepAliveSeconds = 5

/** The same for the server's side: it ends the session, and releases its locks. */
export const serverKeepAlive = {
  tcp_keepalives_idle: keepAliveSeconds,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 3,
} as const

/** `serverKeepAlive` as the connection option `options`. */
export const serverKeepAliveOptions = Object.entries(serverKeepAlive)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')
