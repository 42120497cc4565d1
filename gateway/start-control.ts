import type { RequestListener, ServerResponse } from 'node:http'
import Koa from 'koa'
import type { Config } from '../platform/config/read-config.ts'
import { openClientAddress } from '../platform/http/addresses.ts'
import { openCors } from '../platform/http/cors.ts'
import { answerHealth } from '../platform/http/health.ts'
import { openHealth } from '../platform/http/health-thread.ts'
import { listen } from '../platform/http/listen.ts'
import { asksForWebSocket, openServer, pathOf } from '../platform/http/open-server.ts'
import { openLogLines } from '../platform/log.ts'
import { openTracing } from '../platform/tracing/tracing.ts'
import { closeServices, openServices, type ServiceOptions } from '../subgraphs/runtime/services.ts'
import { mountConsole } from './console/serve-console.ts'
import { serveExplorer } from './explorer/serve-explorer.ts'
import { type ControlLimits, controlLimits } from './graph/control-limits.ts'
import { graphPath, openGraph } from './graph/open-graph.ts'
import { openTrustedDocuments } from './graph/trusted-documents.ts'
import { answerProblems } from './http/answer-problems.ts'
import type { ControlState } from './http/control-context.ts'
import { identifyCaller, openCallers } from './http/identify-caller.ts'
import { logRequest } from './http/log-request.ts'
import { mountAccountPages } from './http/serve-account-pages.ts'
import { mountGraph, mountJwks } from './http/serve-graph.ts'
import { mountReturnPage, mountWebhook } from './http/serve-payments.ts'
import { mountSingleSignOn } from './http/serve-single-sign-on.ts'
import { mountWebSocket } from './http/serve-web-socket.ts'
import { openTurns, takeTurns } from './http/take-turns.ts'
import { openTokenWatch } from './http/watch-tokens.ts'
import { mountOpenApi } from './openapi/serve-openapi.ts'
import { mountRest } from './rest/mount-rest.ts'
import { routes } from './rest/routes/routes.ts'
import { openSessionCookie } from './rest/session-cookie.ts'
import { loadGraph } from './supergraph/load-graph.ts'

/** A running control plane. */
export interface RunningControl {
  url: string
  /** Stops accepting requests, waits for requests in progress, and closes connections. */
  close(): Promise<void>
}

export interface ControlOptions extends ServiceOptions {
  limits?: Partial<ControlLimits>
  /** The folders in which the built console may be. Without it, the control plane serves the API only. */
  consoleFolders?: readonly string[]
}

/**
 * Starts the control plane on `config.controlPort`: the graph and its REST API. Subgraphs that `subgraphUrls` does not
 * list run in this process.
 */
export async function startControl(
  config: Config,
  { limits: changedLimits, consoleFolders = [], ...options }: ControlOptions = {},
): Promise<RunningControl> {
  const limits = { ...controlLimits, ...changedLimits }
  const tracing = await openTracing(config, 'control')
  const services = openServices(config, { name: 'control', tracing, ...options })
  const { context } = services
  const callers = openCallers(services)
  const turns = openTurns(context.allowances)
  const tokens = openTokenWatch(callers)
  const trusted = await openTrustedDocuments(config)
  const graph = openGraph(services, { ...(await loadGraph(config)), trusted, tokens, limits })
  const addressOf = openClientAddress(config.trustedProxies)
  const streams = new Set<ServerResponse>()
  const lines = context.log.isLevelEnabled('info')
    ? openLogLines({ process: 'control', pid: process.pid })
    : undefined
  let draining = false

  const app = new Koa<ControlState>()
  app.silent = true
  app.use(answerHealth(context, () => draining))
  app.use(logRequest({ ...context, lines, addressOf }))
  app.use(answerProblems(context.log))
  app.use(mountConsole(config, consoleFolders))
  if (config.graphIntrospection) app.use(serveExplorer())
  app.use(mountWebhook(services, callers.rates))
  app.use(mountReturnPage())
  app.use(mountAccountPages())
  app.use(await mountOpenApi(context))
  app.use(identifyCaller(callers))
  app.use(takeTurns(turns))
  app.use(mountSingleSignOn(services))
  app.use(mountJwks(services))
  app.use(mountGraph(graph, { trusted, streams }))
  mountRest(app, {
    graph,
    schema: await graph.getSchema(),
    routes,
    context,
    sessionCookie: openSessionCookie(config),
    tokens,
    stalledReaderMs: limits.stalledReaderMs,
  })

  const server = openControlServer(app, config)
  const listening = await listen(server, { host: config.host, port: config.controlPort })
  const health =
    config.controlHealthPort > 0 ? await openHealth(context, config.controlHealthPort) : undefined
  const endSockets = mountWebSocket(server, { graph, addressOf, callers, turns })
  return {
    url: listening.url,
    async close() {
      draining = true
      health?.drain()
      await endSockets()
      for (const stream of streams) stream.destroy() // Clients reconnect to another process.
      await listening.drain(config.shutdownGraceMs)
      await graph.dispose()
      tokens.close()
      lines?.flush()
      await closeServices(services)
      await health?.close()
    },
  }
}

/** Opens the server of the app, with CORS, and upgrades to WebSocket at the path of the graph. */
function openControlServer(app: Koa<ControlState>, { allowedOrigins }: Config) {
  const cors = openCors([
    { prefixes: ['/api/v1', graphPath, '/.well-known', '/openapi.json'], origins: allowedOrigins },
  ])
  const serve = app.callback()
  const listener: RequestListener = (request, response) => {
    if (!cors(request, response)) void serve(request, response)
  }
  return openServer(listener, {
    upgrades: request => asksForWebSocket(request) && pathOf(request) === graphPath,
  })
}
