import { setTimeout as sleep } from 'node:timers/promises'
import { closeContext, openContext } from '../domain/context.ts'
import { closeInference, openInference } from '../domain/inference/open-inference.ts'
import type { Config } from '../platform/config/read-config.ts'
import { openClientAddress } from '../platform/http/client-address.ts'
import { listen } from '../platform/http/listen.ts'
import { openServer } from '../platform/http/open-server.ts'
import { openLogLines } from '../platform/log-lines.ts'
import { openUpstreams } from '../upstreams/open-upstreams.ts'
import { openApp } from './app.ts'
import { type Load, openLoad } from './door/shed-load.ts'
import type { Edge } from './edge.ts'
import { openPassOn } from './pass-on.ts'

/** Within what a process may take to close beyond its grace. */
const settlingMs = 2_000

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
    ratesTold: new Map(),
    clientAddressOf: openClientAddress(config.trustedProxies),
  }
  const passOn = openPassOn({
    controlUrl: config.controlUrl,
    ids: context.ids,
    clientAddressOf: edge.clientAddressOf,
    lines,
  })
  let draining = false
  const app = openApp(edge, { passOn, isDraining: () => draining })
  const server = openServer(app.callback(), { upgrades: request => passOn.upgrades(request) })
  server.on('upgrade', (request, socket, head) => passOn.upgrade(request, socket, head))
  const listening = await listen(server, {
    host: config.host,
    port: config.edgePort,
    backlog: 2_048,
    requestTimeoutMs: 300_000,
    keepAliveTimeoutMs: 75_000,
  })

  return {
    url: listening.url,
    async close() {
      draining = true
      passOn.close()
      await listening.drain(config.shutdownGraceMs)
      await settled(load)
      load.close()
      lines?.flush()
      await closeInference(inference)
      await upstreams.close()
      await closeContext(context)
    },
  }
}

/** Requests whose clients are gone, or were cut, still settle: until they have, or for `settlingMs`. */
async function settled(load: Load): Promise<void> {
  const deadline = Date.now() + settlingMs
  while (load.inFlight > 0 && Date.now() < deadline) await sleep(20)
}
