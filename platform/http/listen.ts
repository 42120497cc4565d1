import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer, type ListenOptions as SocketOptions, type Server as SocketServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Listening {
  url: string
  /**
   * Stops accepting connections, waits up to `graceMs` for requests in flight, then closes the remaining connections.
   */
  drain(graceMs: number): Promise<void>
}

/** The limits of a server's connections. */
export interface Timeouts {
  /** Maximum time in which a whole request arrives, in milliseconds. */
  requestTimeoutMs?: number
}

interface ListenOptions extends Timeouts {
  host: string
  /** 0 chooses a free port. */
  port: number
  /** Maximum number of connections that wait to be accepted at a listening socket. */
  backlog?: number
  /**
   * Maximum number of connections that one turn of the event loop accepts; 1 by default. libuv accepts one per
   * listening socket and turn, so this many sockets share the port. Always 1 on systems other than Linux.
   */
  acceptsPerTurn?: number
}

/** Listens on an address. Throws if the port is not available. */
export async function listen(server: Server, at: ListenOptions): Promise<Listening> {
  useTimeouts(server, at)
  const sockets = await open(server, at)
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : at.port
  return {
    url: `http://${at.host}:${port}`,
    async drain(graceMs) {
      const ended = Promise.all(sockets.map(socket => once(socket, 'close')))
      for (const socket of sockets) socket.close()
      await endConnections(server, { ended, graceMs })
    },
  }
}

/**
 * Maximum idle time of a connection, in milliseconds. It must exceed the idle time of every client that reuses connections,
 * such as a load balancer or the edge: a request that crosses the end of its connection is lost.
 */
const keepAliveTimeoutMs = 75_000

/** Applies timeouts to a server that does not listen yet. */
export function useTimeouts(server: Server, { requestTimeoutMs }: Timeouts): void {
  server.headersTimeout = 10_000
  server.requestTimeout = requestTimeoutMs ?? 60_000
  server.keepAliveTimeout = keepAliveTimeoutMs
}

/**
 * Closes each connection of a server when it is idle, and the remaining ones after `graceMs`. Resolves when `ended` does,
 * which must be when all are closed.
 */
export async function endConnections(
  server: Server,
  { ended, graceMs }: { ended: Promise<unknown>; graceMs: number },
): Promise<void> {
  const done = ended.then(() => true)
  const deadline = performance.now() + graceMs
  let isDone = false
  while (!isDone && performance.now() < deadline) {
    server.closeIdleConnections()
    isDone = await Promise.race([done, sleep(20, false)])
  }
  server.closeAllConnections()
  await done
}

/** The sockets that listen for the server, including its own. */
async function open(server: Server, { host, port, ...at }: ListenOptions): Promise<SocketServer[]> {
  const count = process.platform === 'linux' ? (at.acceptsPerTurn ?? 1) : 1
  const backlog = at.backlog ?? 511
  if (count === 1) return [await bind(server, { host, port, backlog })]
  // Sockets that share a port would also share it with another process of Rubicon, so the port must be free first.
  const shared = { host, port: await freePort(host, port), backlog, reusePort: true }
  const others = Array.from({ length: count - 1 }, () =>
    createServer(likeHttp, socket => server.emit('connection', socket)),
  )
  return Promise.all([server, ...others].map(socket => bind(socket, shared)))
}

async function bind(socket: SocketServer, options: SocketOptions): Promise<SocketServer> {
  socket.listen(options)
  await once(socket, 'listening')
  return socket
}

/** The options with which Node opens the socket of an HTTP server. */
export const likeHttp = { allowHalfOpen: true, noDelay: true }

/** Returns a free port: `wanted`, or any port if `wanted` is 0. Throws if it is in use. */
export async function freePort(host: string, wanted: number): Promise<number> {
  const socket = await bind(createServer(), { host, port: wanted })
  const address = socket.address()
  socket.close()
  await once(socket, 'close')
  return typeof address === 'object' && address ? address.port : wanted
}
