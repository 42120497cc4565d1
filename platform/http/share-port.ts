import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { BoundSocket, createServer, type Socket, type Server as SocketServer } from 'node:net'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import { endConnections, freePort, type Listening, likeHttp, type Timeouts, useTimeouts } from './listen.ts'

declare module 'node:worker_threads' {
  interface MessagePort {
    /** Node can transfer listening servers (Node's documentation, net: Transferring TCP handles to other threads). */
    postMessage(servers: SocketServer[], transferred: readonly SocketServer[]): void
  }
}

/**
 * Number of sockets that share the port, which is the number of connections that one turn of the event loop can accept
 * (`acceptsPerTurn`). Each process has all of them open.
 */
const sockets = process.platform === 'linux' ? 64 : 1

/** A port that this process keeps open, for other processes that accept its connections. */
export interface SharedPort {
  port: number
  /** The file descriptors of its sockets, which child processes inherit. */
  descriptors: number[]
  /** Closes it in this process. It stays open while another process has it open. */
  close(): void
}

/** Opens a port without accepting connections. Throws if it is in use. */
export async function openSharedPort({ host, port }: { host: string; port: number }): Promise<SharedPort> {
  const { address } = await lookup(host)
  const at = { host: address, port: await freePort(host, port), reusePort: sockets > 1 }
  const bound = Array.from({ length: sockets }, () => new BoundSocket(at))
  return {
    port: at.port,
    descriptors: bound.map(socket => socket.fd()),
    close() {
      for (const socket of bound) socket.close()
    },
  }
}

/** The shared port in a process that accepts its connections at times. */
export interface SharedListening extends Listening {
  /** Number of open connections that this process has accepted. */
  readonly connections: number
  /** Accepts connections from now on. */
  accept(): void
  /** Stops accepting connections. They wait at the port for `accept`, or until another process accepts them. */
  pause(): void
}

/** Opens the port of inherited descriptors, and does not accept connections yet. */
export async function listenAtSharedPort(
  server: Server,
  { descriptors, ...timeouts }: Timeouts & { descriptors: readonly number[] },
): Promise<SharedListening> {
  useTimeouts(server, timeouts)
  // While this process pauses, its servers are in a message in this channel: their sockets are open, but accept nothing.
  // After closing them, the process could not accept again.
  const parked = new MessageChannel()
  const opened = descriptors.map((fd, index) =>
    (index === 0 ? server : createServer(likeHttp)).listen({ fd }),
  )
  let accepting: SocketServer[] = opened
  let connections = 0
  const ended = Promise.withResolvers<void>()
  let isDraining = false

  const take = (socket: Socket) => {
    connections += 1
    socket.once('close', () => {
      connections -= 1
      if (isDraining && connections === 0) ended.resolve()
    })
    server.emit('connection', socket)
  }
  const accept = () => {
    const received = isDraining ? undefined : receiveMessageOnPort(parked.port2)
    if (!received) return // it accepts already, or drains
    accepting = received.message
    for (const socket of accepting) socket.on('connection', take)
  }
  const pause = () => {
    if (accepting.length > 0) parked.port1.postMessage(accepting, accepting)
    accepting = []
  }
  await once(server, 'listening') // the HTTP server then begins to check its timeouts
  const address = server.address()
  pause()
  return {
    url: typeof address === 'object' && address ? `http://${address.address}:${address.port}` : '',
    get connections() {
      return connections
    },
    accept,
    pause,
    async drain(graceMs) {
      accept()
      isDraining = true
      for (const socket of accepting.splice(0)) socket.close()
      parked.port1.close()
      if (connections === 0) ended.resolve()
      await endConnections(server, { ended: ended.promise, graceMs })
    },
  }
}
