import type { Server as HttpServer, IncomingMessage } from 'node:http'
import { getGraphQLWSOptions } from '@graphql-hive/gateway-runtime'
import { type Context, handleProtocols, makeServer, type Server } from 'graphql-ws'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { callWindowSeconds } from '../../domain/callers/call-rates.ts'
import type { ClientAddress } from '../../platform/http/addresses.ts'
import { networkOf } from '../../platform/http/addresses.ts'
import { parseJson } from '../../platform/http/parse-json.ts'
import type { Log } from '../../platform/log.ts'
import { openWindows } from '../../platform/windows/windows.ts'
import { type Graph, graphPath } from '../graph/open-graph.ts'
import { maxBodyBytes, maxBodyValues } from './control-context.ts'
import { type Callers, callWithCaller } from './identify-caller.ts'
import { admits, type ConnectionParams, type SocketExtra, serveOperations } from './socket-operations.ts'
import type { Turns } from './take-turns.ts'

/** Maximum number of open connections of one address to this process. */
const maxConnections = 500

/** Maximum number of messages per allowed call of an address in a window. Pings and ends are also messages. */
const messagesPerCall = 4

interface MountOptions {
  graph: Graph
  addressOf: ClientAddress
  callers: Callers
  turns: Turns
}

/**
 * Serves the graph over WebSocket (graphql-transport-ws). The client sends its token as
 * `connectionParams.authorization`, or `Authorization` as the header is written. A wrong token closes the
 * connection with 4403; a valid one is checked again for each operation. Web pages are accepted only from the origin of
 * BASE_URL and from ALLOWED_ORIGINS. Returns a function that closes all connections.
 */
export function mountWebSocket(
  server: HttpServer,
  { graph, addressOf, callers, turns }: MountOptions,
): () => Promise<void> {
  const { config, ids, log } = callers.services.context
  const origins = new Set([new URL(config.baseUrl).origin, ...config.allowedOrigins])
  const open = openCounts()
  const messages = openWindows({ windowMs: callWindowSeconds * 1000 })
  const arrivingOf = ({ connectionParams, extra }: Context<ConnectionParams | undefined, SocketExtra>) => ({
    call: { requestId: ids.tagged('req_'), address: addressOf(extra.request) },
    authorization: [connectionParams?.authorization, connectionParams?.Authorization].filter(
      given => typeof given === 'string',
    ),
  })
  const sockets = new WebSocketServer({
    server,
    path: graphPath,
    maxPayload: maxBodyBytes,
    handleProtocols,
    verifyClient({ origin, req }, answer) {
      if (origin && !origins.has(origin)) answer(false, 403, 'Forbidden')
      else if (open.of(addressOf(req)) >= maxConnections) answer(false, 429, 'Too Many Requests')
      else answer(true)
    },
  })
  const options = getGraphQLWSOptions<ConnectionParams, SocketExtra>(graph, async ctx => {
    const arriving = arrivingOf(ctx)
    return {
      connectionParams: ctx.connectionParams ?? {},
      call: await callWithCaller(callers, arriving),
      authorization: arriving.authorization,
    }
  })
  const protocol = makeServer({
    onConnect: async ctx => admits(callers, arrivingOf(ctx)),
    ...serveOperations(options, turns),
  })
  sockets.on('connection', (socket, request) => {
    const address = addressOf(request)
    socket.once('close', open.add(address))
    const network = networkOf(address)
    const max = messagesPerCall * config.callsPerAddress
    const allowsMessage = () => messages.count(network, { max }).isCounted
    serveSocket(protocol, { socket, request, address, log, allowsMessage })
  })
  return async () => {
    for (const socket of sockets.clients) socket.close(1001, 'Going away')
    await new Promise(resolve => sockets.close(resolve))
  }
}

/** Counts connections by network. */
function openCounts() {
  const counts = new Map<string, number>()
  const of = (address: string) => counts.get(networkOf(address)) ?? 0
  return {
    of,
    /** Counts a connection. Returns a function that removes it. */
    add(address: string): () => void {
      const network = networkOf(address)
      counts.set(network, of(address) + 1)
      return () => {
        const left = of(address) - 1
        if (left > 0) counts.set(network, left)
        else counts.delete(network)
      }
    },
  }
}

/**
 * Interval at which a connection is pinged, in milliseconds. A connection that has not answered by the next ping is
 * closed.
 */
const pingIntervalMs = 12_000

/** Maximum number of unread bytes of a connection. Above it, the connection is closed when it sends another message. */
const maxUnreadBytes = 4 * 1024 * 1024

/** Close codes of graphql-transport-ws: invalid message and too many messages. */
const badRequest = 4400

const tooManyRequests = 4429

/**
 * Serves graphql-transport-ws on one connection. The connection is closed if `allowsMessage` returns false. An error
 * closes it and writes one line to the log.
 */
function serveSocket(
  protocol: Server<{ socket: WebSocket; request: IncomingMessage }>,
  connection: {
    socket: WebSocket
    request: IncomingMessage
    address: string
    log: Log
    allowsMessage(): boolean
  },
): void {
  const { socket, request, address, log, allowsMessage } = connection
  const logError = (error: unknown) =>
    log.info(
      { address, path: '/graphql', error: error instanceof Error ? error.message : String(error) },
      'socket',
    )
  socket.on('error', logError) // For example a frame that is too large. ws closes the connection itself.

  let isAlive = true
  socket.on('pong', () => {
    isAlive = true
  })
  const pinging = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, pingIntervalMs)

  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: text =>
        new Promise((resolve, reject) => {
          if (socket.readyState !== socket.OPEN) return resolve()
          socket.send(text, error => (error ? reject(error) : resolve()))
        }),
      close: (code, reason) => socket.close(code, reason),
      onMessage: take =>
        socket.on('message', data => {
          if (socket.readyState !== socket.OPEN) return // The client sent this before it knew that the connection was closed.
          if (socket.bufferedAmount > maxUnreadBytes) return socket.terminate() // The client sends without reading.
          if (!allowsMessage()) return socket.close(tooManyRequests, 'Too many messages')
          const text = readable(data)
          if (text === undefined) return socket.close(badRequest, 'Invalid message received')
          take(text).catch(error => {
            logError(error)
            socket.close(4500, 'Internal server error')
          })
        }),
    },
    { socket, request },
  )
  socket.once('close', (code, reason) => {
    clearInterval(pinging)
    Promise.resolve(closed(code, String(reason))).catch(logError)
  })
}

/** Returns the text of a message, or `undefined` if `parseJson` refuses it. Messages have the same limits as bodies. */
function readable(data: RawData): string | undefined {
  if (!Buffer.isBuffer(data)) return undefined // ws passes a Buffer by default.
  try {
    parseJson(data, maxBodyValues)
    return data.toString()
  } catch {
    return undefined
  }
}
