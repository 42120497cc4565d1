import { once } from 'node:events'
import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Listening {
  url: string
  /** Stops taking connections, lets requests in flight end within `graceMs`, then cuts what is left. */
  drain(graceMs: number): Promise<void>
}

export interface ListenOptions {
  host: string
  /** 0 is any free one. */
  port: number
  /** Connections that wait to be accepted, at most. */
  backlog?: number
  /** How long a request may take to come in whole. */
  requestTimeoutMs?: number
  /** How long a connection may be idle: longer than whoever is in front keeps one. */
  keepAliveTimeoutMs?: number
}

/** Listens on an address. Throws when the port cannot be had. */
export async function listen(server: Server, at: ListenOptions): Promise<Listening> {
  server.headersTimeout = 10_000
  server.requestTimeout = at.requestTimeoutMs ?? 60_000
  server.keepAliveTimeout = at.keepAliveTimeoutMs ?? 5_000
  server.listen({ host: at.host, port: at.port, backlog: at.backlog ?? 511 })
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : at.port
  return {
    url: `http://${at.host}:${port}`,
    async drain(graceMs) {
      const closed = once(server, 'close').then(() => true)
      server.close()
      const deadline = Date.now() + graceMs
      let done = false
      while (!done && Date.now() < deadline) {
        server.closeIdleConnections()
        done = await Promise.race([closed, sleep(20, false)])
      }
      server.closeAllConnections()
      await closed
    },
  }
}
