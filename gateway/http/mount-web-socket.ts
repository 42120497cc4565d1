import type { IncomingMessage, Server } from 'node:http'
import { getGraphQLWSOptions } from '@graphql-hive/gateway-runtime'
import { useServer } from 'graphql-ws/use/ws'
import { type WebSocket, WebSocketServer } from 'ws'
import type { ForeignKeys } from '../../domain/accounts/sessions/foreign-keys.ts'
import type { ClientAddress } from '../../platform/http/client-address.ts'
import type { House } from '../../subgraphs/frame/subgraph-context.ts'
import { type Graph, graphPath } from '../graph/open-graph.ts'
import { callWithCaller } from './identify-caller.ts'
import { maxBodyBytes } from './max-body-bytes.ts'

interface Socket {
  socket: WebSocket
  request: IncomingMessage
}

/**
 * Serves the graph over WebSocket (graphql-transport-ws). The credential comes as `connectionParams.authorization`,
 * or `Authorization` as the header is written, and is looked at anew for each operation. Returns how to end all connections.
 */
export function mountWebSocket(
  server: Server,
  args: { house: House; graph: Graph; addressOf: ClientAddress; foreignKeys: ForeignKeys | undefined },
): () => Promise<void> {
  const { house, graph, addressOf, foreignKeys } = args
  const { ids } = house.context
  const sockets = new WebSocketServer({ server, path: graphPath, maxPayload: maxBodyBytes })
  const options = getGraphQLWSOptions<Record<string, unknown>, Socket>(graph, async ctx => {
    const { authorization, Authorization } = ctx.connectionParams ?? {}
    const call = { requestId: ids.tagged('req_'), address: addressOf(ctx.extra.request) }
    const credentials = [authorization, Authorization].filter(given => typeof given === 'string')
    return {
      connectionParams: ctx.connectionParams ?? {},
      call: await callWithCaller(house, { call, authorization: credentials, foreignKeys }),
    }
  })
  const door = useServer(options, sockets)
  return async () => void (await door.dispose())
}
