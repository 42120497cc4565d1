import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { systemIds } from '../ids.ts'
import type { Snapshot } from '../metrics/snapshot.ts'
import { guardPrototypes } from '../process/guard-prototypes.ts'
import type { RedisHealth } from '../redis/redis-health.ts'
import { type Fault, faults, healthBody } from './health.ts'
import {
  type HealthThreadData,
  healthWords,
  redisStates,
  type ScrapeMessage,
  type ScrapeReply,
} from './health-thread.ts'
import { listen } from './listen.ts'

/** Maximum duration of a turn of the event loop, in milliseconds. After it, the process counts as stuck. */
const stuckAfterMs = 10_000

/** Maximum time in which the process answers a scrape, in milliseconds. */
const scrapeTimeoutMs = 3_000

/** Interval at which the event loop is checked, in milliseconds. */
const checkIntervalMs = 250

guardPrototypes()
const { host, port, shared }: HealthThreadData = workerData
const words = new Int32Array(shared)

let turns = 0
let cameRoundAt = performance.now()
setInterval(() => {
  const now = Atomics.load(words, healthWords.turns)
  if (now !== turns) cameRoundAt = performance.now()
  turns = now
}, checkIntervalMs)

const server = createServer((request, response) => {
  const path = request.url?.split('?', 1)[0]
  if (path === '/metrics') return void answerScrape(response)
  const isKnown = path === '/healthz' || path === '/readyz'
  const fault = !isAlive() ? 'event_loop' : path === '/readyz' ? readFault() : undefined
  response.writeHead(!isKnown ? 404 : fault ? 503 : 200, {
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'x-request-id': systemIds.tagged('req_'),
  })
  const redis = path === '/readyz' ? redisHealth() : undefined
  response.end(JSON.stringify(isKnown ? healthBody(fault, redis) : { status: 'not_found' }))
})
const { url } = await listen(server, { host, port })
parentPort?.postMessage(url)

const scrapes = new Map<number, (snapshots: readonly Snapshot[]) => void>()
let scrapeCount = 0
parentPort?.on('message', ({ scrape, snapshots }: ScrapeReply) => {
  scrapes.get(scrape)?.(snapshots)
  scrapes.delete(scrape)
})

/**
 * Serves the metrics of the process, which are printed here so that its event loop has less to do. Responds with 503 if the
 * process does not answer in time.
 */
async function answerScrape(response: ServerResponse): Promise<void> {
  const scrape = ++scrapeCount
  const collected = new Promise<readonly Snapshot[]>(resolve => scrapes.set(scrape, resolve))
  parentPort?.postMessage({ scrape } satisfies ScrapeMessage)
  const snapshots = await Promise.race([collected, sleep(scrapeTimeoutMs, undefined)])
  scrapes.delete(scrape)
  if (!snapshots) return void response.writeHead(503).end()
  const { metricsType, renderMetrics } = await import('../metrics/render-metrics.ts')
  response.writeHead(200, { 'content-type': metricsType, 'x-content-type-options': 'nosniff' })
  response.end(await renderMetrics(snapshots))
}

function isAlive(): boolean {
  return performance.now() - cameRoundAt < stuckAfterMs
}

function readFault(): Fault | undefined {
  return Atomics.load(words, healthWords.isDraining) === 1
    ? 'draining'
    : faults[Atomics.load(words, healthWords.fault)]
}

function redisHealth(): RedisHealth {
  return {
    state: redisStates[Atomics.load(words, healthWords.redisState)] ?? 'unavailable',
    failures: Atomics.load(words, healthWords.redisFailures),
  }
}
