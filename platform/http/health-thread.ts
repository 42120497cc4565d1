import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Config } from '../config/read-config.ts'
import type { Metrics } from '../metrics/open-metrics.ts'
import type { Snapshot } from '../metrics/snapshot.ts'
import type { Sql } from '../postgres/open-postgres.ts'
import type { RedisHealth, RedisState } from '../redis/redis-health.ts'
import { type Fault, faults, findFault } from './health.ts'

/** A server for health checks and metrics with a separate port and thread. */
export interface HealthThread {
  url: string
  /** Reports from now on that the process is not ready. */
  drain(): void
  close(): Promise<void>
}

/** The thread's `workerData`. */
export interface HealthThreadData {
  host: string
  port: number
  /** The memory that the process and its thread share. `healthWords` lists its indexes. */
  shared: SharedArrayBuffer
}

/**
 * Indexes of the shared memory: turns that the event loop counted, whether the process drains, the index of its fault in
 * `faults` or -1, the index of its state of Redis in `redisStates`, and the failed commands.
 */
export const healthWords = { turns: 0, isDraining: 1, fault: 2, redisState: 3, redisFailures: 4 } as const

export const redisStates: readonly RedisState[] = ['none', 'ok', 'unavailable', 'partial']

/**
 * Interval at which the event loop increments its turn count, in milliseconds. The thread reads it to detect a stuck
 * event loop.
 */
const beatEveryMs = 100

/** Interval at which `findFault` is called, in milliseconds. */
const checkEveryMs = 1_000

/** A message of the thread that asks for the metrics, and the reply. */
export interface ScrapeMessage {
  scrape: number
}
export interface ScrapeReply extends ScrapeMessage {
  snapshots: readonly Snapshot[]
}

/** The parts of a process that its health and metrics show. */
interface Observed {
  config: Pick<Config, 'host'>
  sql: Sql
  redisHealth: RedisHealth
  metrics: Metrics
}

/** Opens the health thread of a process on a port. Throws if the port is in use. */
export function openHealth(
  { config: { host }, sql, redisHealth, metrics }: Observed,
  port: number,
): Promise<HealthThread> {
  const collect = async () => [await metrics.snapshot()]
  return openHealthThread({ host, port, findFault: () => findFault({ sql }), redisHealth, collect })
}

/**
 * Serves `/healthz` and `/readyz` like `answerHealth`, and `/metrics`, from a thread. Health checks are answered at once,
 * even if the process's event loop is busy or many connections wait at its port. `findFault` is called every second,
 * `collect` at each scrape; neither may throw. Throws if the port is in use.
 */
export async function openHealthThread(options: {
  host: string
  port: number
  findFault(): Promise<Fault | undefined>
  redisHealth: RedisHealth
  collect(): Promise<readonly Snapshot[]>
}): Promise<HealthThread> {
  const { host, port, redisHealth } = options
  const shared = new SharedArrayBuffer(Object.keys(healthWords).length * Int32Array.BYTES_PER_ELEMENT)
  const words = new Int32Array(shared)
  const isSource = import.meta.url.endsWith('.ts')
  const file = new URL(`./run-health-thread.${isSource ? 'ts' : 'js'}`, import.meta.url)
  const data: HealthThreadData = { host, port, shared }
  const worker = new Worker(file, { workerData: data })
  const check = async () => {
    Atomics.store(words, healthWords.redisState, redisStates.indexOf(redisHealth.state))
    Atomics.store(words, healthWords.redisFailures, redisHealth.failures)
    const fault = await options.findFault()
    Atomics.store(words, healthWords.fault, fault ? faults.indexOf(fault) : -1)
  }
  await check()
  const [url] = await once(worker, 'message') // rejects if the thread throws
  worker.on('message', async ({ scrape }: ScrapeMessage) => {
    worker.postMessage({ scrape, snapshots: await options.collect() } satisfies ScrapeReply)
  })
  worker.unref()
  const beat = setInterval(() => Atomics.add(words, healthWords.turns, 1), beatEveryMs)
  const checks = setInterval(check, checkEveryMs)
  beat.unref()
  checks.unref()
  return {
    url,
    drain: () => void Atomics.store(words, healthWords.isDraining, 1),
    async close() {
      clearInterval(beat)
      clearInterval(checks)
      await worker.terminate()
    },
  }
}
