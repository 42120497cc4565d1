import type { RequestListener } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectCommitter } from '../domain/committer/connect-committer.ts'
import { readBuild } from '../domain/committer/messages.ts'
import { openCommitter } from '../domain/committer/open-committer.ts'
import { type Context, closeContext, openContext } from '../domain/context.ts'
import { closeInference, openInference } from '../domain/inference/open-inference.ts'
import { closeMedia, openMedia } from '../domain/media/media.ts'
import { readOwnMedia } from '../domain/media/read-own-media.ts'
import { openTaskWatch } from '../domain/tasks/watch-tasks.ts'
import type { Config } from '../platform/config/read-config.ts'
import { openClientAddress } from '../platform/http/addresses.ts'
import { openCors } from '../platform/http/cors.ts'
import { openHealth } from '../platform/http/health-thread.ts'
import { listen } from '../platform/http/listen.ts'
import { openServer } from '../platform/http/open-server.ts'
import { openLogLines } from '../platform/log.ts'
import { answerScrapes } from '../platform/metrics/child-metrics.ts'
import type { Running } from '../platform/process/run-main.ts'
import { openTracing } from '../platform/tracing/tracing.ts'
import { openUpstreams } from '../upstreams/call/open-upstreams.ts'
import { openApp } from './app.ts'
import { openJsonThread } from './beside/json-thread.ts'
import type { Edge } from './edge.ts'
import { type EdgeLimits, edgeLimits } from './edge-limits.ts'
import { openRequestMetrics } from './metrics/request-metrics.ts'
import { openKnownRates } from './pipeline/count-request.ts'
import { openAccounts } from './pipeline/request-share.ts'
import { inferencePrefixes, isInference } from './prefixes.ts'
import { controlPrefixes, openControlProxy } from './proxy/control-proxy.ts'
import { beginByTurns } from './server/begin-by-turns.ts'
import { observeLoad } from './server/observe-load.ts'
import { openEarlyRefusal } from './server/refuse-early.ts'
import { openRefuseMalformed } from './server/refuse-malformed.ts'
import { type Load, openLoad } from './server/shed-load.ts'
import { listenAsWorker } from './workers/listen-as-worker.ts'
import { draining } from './workers/messages.ts'

/** Maximum time for which disconnected requests may settle at shutdown, in milliseconds. */
const settlingMs = 2_000

export interface RunningEdge {
  url: string
  /**
   * Reports for DRAIN_DELAY_MS that it is not ready, then stops accepting requests, lets those in flight end, and
   * releases every hold. A faulty process stops accepting requests at once.
   */
  close: Running['close']
}

/** The port and the committer that the edge processes of a machine share. */
interface Shared {
  /** The socket of the committer. */
  committerPath: string
  /** Number of inherited sockets of the port. */
  sockets: number
}

/**
 * Starts one edge process's server on `config.edgePort`, and its health on `config.healthPort`. A worker uses the port and
 * the committer of its machine instead, and the process that started it serves its health. Throws if Postgres or the
 * committer cannot be reached.
 */
export async function startEdge(
  config: Config,
  changedLimits: Partial<EdgeLimits> = {},
  shared?: Shared,
): Promise<RunningEdge> {
  const limits = { ...edgeLimits, ...changedLimits }
  const tracing = await openTracing(config, 'edge')
  const context = openContext(config, { name: 'edge', tracing })
  const upstreams = openUpstreams(config, {
    readOwn: (address, maxBytes) => readOwnMedia(edge.media, address, maxBytes),
    redis: context.redis,
    metrics: context.metrics,
  })
  const edge = await openEdge(context, { limits, upstreams, committerPath: shared?.committerPath })
  const { load, lines } = edge
  const proxy = openControlProxy({
    controlUrl: config.controlUrl,
    limits,
    ids: context.ids,
    clientAddressOf: edge.clientAddressOf,
    lines,
    tracing,
  })
  let isServing = false // before the health server listens, and while the process drains
  const serve = openApp(edge, { proxy, isDraining: () => !isServing })
  const early = openEarlyRefusal({ ...edge, ids: context.ids })
  const begin = beginByTurns(load, serve)
  const cors = openCors([
    { prefixes: inferencePrefixes, origins: config.inferenceOrigins },
    { prefixes: controlPrefixes, origins: config.allowedOrigins },
  ])
  const listener: RequestListener = (request, response) => {
    if (cors(request, response)) return
    if (!isInference(request.url ?? '')) serve(request, response)
    else if (!early.refuses(request, response)) begin(request, response)
  }
  const server = openServer(listener, {
    upgrades: request => proxy.upgrades(request),
    refuse: openRefuseMalformed(context.ids),
  })
  server.on('upgrade', (request, socket, head) => proxy.upgrade(request, socket, head))
  const timeouts = { requestTimeoutMs: 300_000 }
  const { host, edgePort: port } = config
  const listening = shared
    ? await listenAsWorker(server, { ...timeouts, sockets: shared.sockets, load, config })
    : await listen(server, { ...timeouts, host, port, backlog: 64, acceptsPerTurn: 256 })
  if (shared) onceAlone(() => drainAsFaulty('the process that started this one has ended'))

  // The process that starts several workers serves the health of all of them.
  const health = config.healthPort > 0 && !shared ? await openHealth(context, config.healthPort) : undefined
  const sendLastMetrics = shared && answerScrapes(context.metrics)
  isServing = true

  return {
    url: listening.url,
    async close({ isFaulty } = { isFaulty: false }) {
      isServing = false
      health?.drain()
      if (shared && process.connected) process.send?.(draining)
      if (!isFaulty) await sleep(config.drainDelayMs)
      proxy.close()
      await listening.drain(config.shutdownGraceMs)
      await settled(load)
      early.close()
      await closeEdge(edge, upstreams)
      await sendLastMetrics?.()
      await closeContext(context)
      await health?.close()
    },
  }
}

/** Opens the state that the routes share. */
async function openEdge(
  context: Context,
  {
    limits,
    upstreams,
    committerPath,
  }: Pick<Edge, 'limits' | 'upstreams'> & { committerPath: string | undefined },
): Promise<Edge> {
  const { config, log } = context
  const committer =
    committerPath === undefined
      ? await openCommitter(context, { kind: 'edge' })
      : await connectCommitter(context, {
          kind: 'edge',
          path: committerPath,
          build: readBuild(),
          refused: drainAsFaulty,
        })
  const inference = await openInference(context, committer)
  const media = await openMedia(context)
  const load = openLoad()
  observeLoad(context.metrics, load)
  return {
    config,
    limits,
    log,
    lines: log.isLevelEnabled('info') ? openLogLines({ process: 'edge', pid: process.pid }) : undefined,
    requestMetrics: openRequestMetrics(context.metrics),
    inference,
    upstreams,
    media,
    taskWatch: openTaskWatch(context),
    load,
    accounts: openAccounts(context),
    jsonThread: openJsonThread(),
    tries: new Map(),
    knownRates: openKnownRates(),
    clientAddressOf: openClientAddress(config.trustedProxies),
  }
}

/** Calls `end` when the process that started this one has ended, also if it ended while this one was starting. */
function onceAlone(end: () => void): void {
  if (process.connected) process.once('disconnect', end)
  else end()
}

/** Throws outside of any request. The process then drains, and accepts no more requests. */
function drainAsFaulty(reason: string): void {
  setImmediate(() => {
    throw new Error(reason)
  })
}

/** Ends open calls to vendors, and releases every hold after their requests have settled. */
async function closeEdge(edge: Edge, upstreams: { close(): Promise<void> }): Promise<void> {
  const { load, jsonThread, lines, inference, taskWatch, media } = edge
  load.close()
  await jsonThread.close()
  lines?.flush()
  await upstreams.close()
  await settled(load)
  await closeInference(inference)
  taskWatch.close()
  closeMedia(media)
}

/** Waits until requests without a client have settled, for at most `settlingMs`. */
async function settled(load: Load): Promise<void> {
  const deadline = performance.now() + settlingMs
  while (load.inFlight > 0 && performance.now() < deadline) await sleep(20)
}
