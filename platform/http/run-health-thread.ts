import { createServer } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import { systemIds } from '../ids.ts'
import { guardPrototypes } from '../process/guard-prototypes.ts'
import type { RedisHealth } from '../redis/redis-health.ts'
import { type HealthThreadData, healthBody, healthWords, redisStates } from './health.ts'
import { listen } from './listen.ts'

/** Maximum duration of a turn of the event loop, in milliseconds. After it, the process counts as stuck. */
const stuckAfterMs = 10_000

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
  const isWell = path === '/healthz' ? isAlive() : path === '/readyz' ? isAlive() && isReady() : undefined
  const status = isWell === undefined ? 404 : isWell ? 200 : 503
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'x-request-id': systemIds.tagged('req_'),
  })
  const body =
    isWell === undefined
      ? { status: 'not_found' }
      : healthBody(isWell, path === '/readyz' ? redisHealth() : undefined)
  response.end(JSON.stringify(body))
})
const { url } = await listen(server, { host, port })
parentPort?.postMessage(url)

function isAlive(): boolean {
  return performance.now() - cameRoundAt < stuckAfterMs
}

function isReady(): boolean {
  return Atomics.load(words, healthWords.isDraining) === 0 && Atomics.load(words, healthWords.isReady) === 1
}

function redisHealth(): RedisHealth {
  return {
    state: redisStates[Atomics.load(words, healthWords.redisState)] ?? 'unavailable',
    failures: Atomics.load(words, healthWords.redisFailures),
  }
}
