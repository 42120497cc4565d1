import cluster from 'node:cluster'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer, type ListenOptions as SocketOptions, type Server as SocketServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

interface Listening {
  url: string
  /** Stops taking connections, lets requests in flight end within `graceMs`, then cuts what is left. */
  drain(graceMs: number): Promise<void>
}

interface ListenOptions {
  host: string
  /** 0 is any free one. */
  port: number
  /** Connections that wait to be accepted at a listening socket, at most. */
  backlog?: number
  /**
   * Connections that one turn of the event loop accepts, at most; 1 by default. libuv accepts one per
   * listening socket and turn, so this many sockets share the port (Linux; elsewhere, and in a worker of a
   * cluster, it stays 1).
   */
  acceptsPerTurn?: number
  /** How long a request may take to come in whole. */
  requestTimeoutMs?: number
  /**
   * How long a connection may be idle: longer than the load balancer in front keeps one, or requests are
   * lost.
   */
  keepAliveTimeoutMs?: number
}

/** Listens on an address. Throws when the port cannot be had. */
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

/** The sockets that listen for the server, itself among them. */
async function open(server: Server, { host, port, ...at }: ListenOptions): Promise<SocketServer[]> {
  const count = process.platform === 'linux' && !cluster.isWorker ? (at.acceptsPerTurn ?? 1) : 1
  const backlog = at.backlog ?? 511
  if (count === 1) return [await bind(server, { host, port, backlog })]
  // Sockets that share a port would share it with another process of ours too: it has to be free first.
  const shared = { host, port: await freePort(host, port), backlog, reusePort: true }
  const others = Array.from({ length: count - 1 }, () =>
    // As Node opens the socket of an HTTP server.
    createServer({ allowHalfOpen: true, noDelay: true }, socket => server.emit('connection', socket)),
  )
  return Promise.all([server, ...others].map(socket => bind(socket, shared)))
}

async function bind(socket: SocketServer, options: SocketOptions): Promise<SocketServer> {
  socket.listen(options)
  await once(socket, 'listening')
  return socket
}

/** A free port: `wanted`, or any where that is 0. Throws when it is in use. */
async function freePort(host: string, wanted: number): Promise<number> {
  const socket = await bind(createServer(), { host, port: wanted })
  const address = socket.address()
  socket.close()
  await once(socket, 'close')
  return typeof address === 'object' && address ? address.port : wanted
}
