import cluster from 'node:cluster'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer, type ListenOptions as SocketOptions, type Server as SocketServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

interface Listening {
  url: string
  /**
   * Stops accepting connections, waits up to `graceMs` for requests in flight, then closes the remaining connections.
   */
  drain(graceMs: number): Promise<void>
}

interface ListenOptions {
  host: string
  /** 0 chooses a free port. */
  port: number
  /** Maximum number of connections that wait to be accepted at a listening socket. */
  backlog?: number
  /**
   * Maximum number of connections that one turn of the event loop accepts; 1 by default. libuv accepts one per
   * listening socket and turn, so this many sockets share the port. Always 1 in a cluster's worker and on systems other
   * than Linux.
   */
  acceptsPerTurn?: number
  /** Maximum time in which a whole request arrives, in milliseconds. */
  requestTimeoutMs?: number
  /** Maximum idle time of a connection, in milliseconds. It must exceed the load balancer's, or requests are lost. */
  keepAliveTimeoutMs?: number
}

/** Listens on an address. Throws if the port is not available. */
export async function listen(server: Server, at: ListenOptions): Promise<Listening> {
  server.headersTimeout = 10_000
  server.requestTimeout = at.requestTimeoutMs ?? 60_000
  server.keepAliveTimeout = at.keepAliveTimeoutMs ?? 5_000
  const sockets = await open(server, at)
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : at.port
  return {
    url: `http://${at.host}:${port}`,
    async drain(graceMs) {
      const closed = Promise.all(sockets.map(socket => once(socket, 'close'))).then(() => true)
      for (const socket of sockets) socket.close()
      const deadline = performance.now() + graceMs
      let done = false
      while (!done && performance.now() < deadline) {
        server.closeIdleConnections()
        done = await Promise.race([closed, sleep(20, false)])
      }
      server.closeAllConnections()
      await closed
    },
  }
}

/** The sockets that listen for the server, including its own. */
async function open(server: Server, { host, port, ...at }: ListenOptions): Promise<SocketServer[]> {
  const count = process.platform === 'linux' && !cluster.isWorker ? (at.acceptsPerTurn ?? 1) : 1
  const backlog = at.backlog ?? 511
  if (count === 1) return [await bind(server, { host, port, backlog })]
  // Sockets that share a port would also share it with another process of Rubicon, so the port must be free first.
  const shared = { host, port: await freePort(host, port), backlog, reusePort: true }
  const others = Array.from({ length: count - 1 }, () =>
    // The options with which Node opens the socket of an HTTP server.
    createServer({ allowHalfOpen: true, noDelay: true }, socket => server.emit('connection', socket)),
  )
  return Promise.all([server, ...others].map(socket => bind(socket, shared)))
}

async function bind(socket: SocketServer, options: SocketOptions): Promise<SocketServer> {
  socket.listen(options)
  await once(socket, 'listening')
  return socket
}

/** Returns a free port: `wanted`, or any port if `wanted` is 0. Throws if it is in use. */
async function freePort(host: string, wanted: number): Promise<number> {
  const socket = await bind(createServer(), { host, port: wanted })
  const address = socket.address()
  socket.close()
  await once(socket, 'close')
  return typeof address === 'object' && address ? address.port : wanted
}
