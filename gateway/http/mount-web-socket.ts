import type { IncomingMessage, Server } from 'node:http'
import { getGraphQLWSOptions } from '@graphql-hive/gateway-runtime'
import { handleProtocols, makeServer, type ServerOptions } from 'graphql-ws'
import { type WebSocket, WebSocketServer } from 'ws'
import { callWindowSeconds } from '../../domain/callers/call-rates.ts'
import { openWindows } from '../../domain/callers/windows.ts'
import type { ClientAddress } from '../../platform/http/client-address.ts'
import { networkOf } from '../../platform/http/network-of.ts'
import { Problem } from '../../schema/errors.ts'
import { presented, problemFrom } from '../../subgraphs/runtime/present-error.ts'
import { type Graph, graphPath } from '../graph/open-graph.ts'
import { type Callers, callWithCaller } from './identify-caller.ts'
import { maxBodyBytes } from './max-body-bytes.ts'
import { serveSocket } from './serve-socket.ts'

/** What is known of a connection. */
interface Connection {
  socket: WebSocket
  request: IncomingMessage
}

type Options = ServerOptions<Record<string, unknown>, Connection>

/** Operations that one connection may have running, and connections that one address may have open here. */
const maxOperations = 100
const maxConnections = 500

/** Messages that one address may send in the window of calls, for each call that it may make: most messages are none. */
const messagesPerCall = 4

/**
 * Serves the graph over WebSocket (graphql-transport-ws). The credential comes as `connectionParams.authorization`,
 * or `Authorization` as the header is written, and is looked at anew for each operation. Web pages of other origins
 * than ours are refused. Returns how to end all connections.
 */
export function mountWebSocket(
  server: Server,
  { graph, addressOf, callers }: { graph: Graph; addressOf: ClientAddress; callers: Callers },
): () => Promise<void> {
  const { config, ids, log } = callers.services.context
  const origins = new Set([new URL(config.baseUrl).origin, ...config.allowedOrigins])
  const open = openCounts()
  const messages = openWindows({ windowMs: callWindowSeconds * 1000 })
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
  const options: Options = getGraphQLWSOptions<Record<string, unknown>, Connection>(graph, async ctx => {
    const { authorization, Authorization } = ctx.connectionParams ?? {}
    const call = { requestId: ids.tagged('req_'), address: addressOf(ctx.extra.request) }
    const credentials = [authorization, Authorization].filter(given => typeof given === 'string')
    return {
      connectionParams: ctx.connectionParams ?? {},
      call: await callWithCaller(callers, { call, authorization: credentials }),
    }
  })
  const protocol = makeServer({ ...options, onSubscribe: subscribing(options.onSubscribe) })
  sockets.on('connection', (socket, request) => {
    const address = addressOf(request)
    socket.once('close', open.add(address))
    const network = networkOf(address)
    const takes = () => messages.count(network).count <= messagesPerCall * config.callsPerAddress
    serveSocket(protocol, { socket, request, address, log, takes })
  })
  return async () => {
    for (const socket of sockets.clients) socket.close(1001, 'Going away')
    await new Promise(resolve => sockets.close(resolve))
  }
}

/** An operation that is refused gets its error; its connection and the others go on. */
function subscribing(begin: Options['onSubscribe']): NonNullable<Options['onSubscribe']> {
  return async (ctx, id, payload) => {
    try {
      if (Object.keys(ctx.subscriptions).length > maxOperations) throw tooMany()
      return await begin?.(ctx, id, payload)
    } catch (error) {
      return [presented(problemFrom(error))]
    }
  }
}

function tooMany(): Problem {
  const message = `A connection may have ${maxOperations} operations running.`
  return new Problem('rate_limit_exceeded', { message, retryAfterSeconds: 1 })
}

/** Counts connections by the network that they come from. */
function openCounts() {
  const counts = new Map<string, number>()
  const of = (address: string) => counts.get(networkOf(address)) ?? 0
  return {
    of,
    /** Counts one more; returns how to take it back. */
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
