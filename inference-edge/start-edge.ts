import { setTimeout as sleep } from 'node:timers/promises'
import { closeContext, openContext } from '../domain/context.ts'
import { closeInference, openInference } from '../domain/inference/open-inference.ts'
import type { Config } from '../platform/config/read-config.ts'
import { openClientAddress } from '../platform/http/client-address.ts'
import { openServer } from '../platform/http/open-server.ts'
import { openLogLines } from '../platform/log-lines.ts'
import { openUpstreams } from '../upstreams/open-upstreams.ts'
import { openApp } from './app.ts'
import { openLoad } from './door/shed-load.ts'
import type { Edge } from './edge.ts'
import { openPassOn } from './pass-on.ts'

export interface RunningEdge {
  url: string
  /** Stops taking requests, lets those in flight end, gives back every hold. */
  close(): Promise<void>
}

/** Starts one edge process's server on `config.edgePort`. Throws when Postgres cannot be reached. */
export async function startEdge(config: Config): Promise<RunningEdge> {
  const context = openContext(config, { name: 'edge' })
  const inference = await openInference(context, { kind: 'edge' })
  const upstreams = openUpstreams(config)
  const load = openLoad()
  const lines = context.log.isLevelEnabled('info')
    ? openLogLines({ process: 'edge', pid: process.pid })
    : undefined
  const edge: Edge = {
    config,
    log: context.log,
    lines,
    inference,
    upstreams,
    load,
    clientAddressOf: openClientAddress(config.trustedProxies),
  }
  const passOn = openPassOn({
    controlUrl: config.controlUrl,
    ids: context.ids,
    clientAddressOf: edge.clientAddressOf,
  })
  let draining = false
  const app = openApp(edge, { passOn, isDraining: () => draining })
  const server = openServer(app.callback(), { upgrades: request => passOn.upgrades(request) })
  server.headersTimeout = 10_000
  server.requestTimeout = 300_000
  server.keepAliveTimeout = 75_000
  server.on('upgrade', (request, socket, head) => passOn.upgrade(request, socket, head))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port: config.edgePort, host: config.host, backlog: 2_048 }, resolve)
  })

  return {
    url: `http://${config.host}:${portOf(server.address())}`,
    async close() {
      draining = true
      const closed = new Promise(resolve => server.close(resolve))
      const deadline = Date.now() + config.shutdownGraceMs
      while (load.inFlight > 0 && Date.now() < deadline) {
        server.closeIdleConnections()
        await sleep(20)
      }
      server.closeAllConnections()
      passOn.close()
      await closed
      load.close()
      lines?.flush()
      await closeInference(inference)
      await upstreams.close()
      await closeContext(context)
    },
  }
}

function portOf(address: ReturnType<ReturnType<typeof openServer>['address']>): number {
  return address && typeof address === 'object' ? address.port : 0
}
