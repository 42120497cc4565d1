import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Context, Next } from 'koa'
import { withTimeout } from '../clock.ts'
import type { Ids } from '../ids.ts'
import type { Sql } from '../postgres/open-postgres.ts'
import type { RedisHealth, RedisState } from '../redis/redis-health.ts'

/**
 * Maximum time in which Postgres answers a health check, in milliseconds. After it, the process counts as not ready.
 */
const timeoutMs = 1_000

/**
 * Serves `/healthz`, which reports that the process is alive, and `/readyz`, which reports whether it can serve
 * requests and whether Redis answers. These requests are not logged, because probes repeat them every few seconds.
 */
export function answerHealth(
  { sql, ids, redisHealth }: { sql: Sql; ids: Ids; redisHealth: RedisHealth },
  isDraining: () => boolean,
) {
  const answer = async (ctx: Context): Promise<void> => {
    const isWell = ctx.path === '/healthz' || (!isDraining() && (await answersQueries(sql)))
    ctx.set('x-request-id', ids.tagged('req_'))
    ctx.status = isWell ? 200 : 503
    ctx.body = healthBody(isWell, ctx.path === '/readyz' ? redisHealth : undefined)
  }
  return (ctx: Context, next: Next): Promise<void> =>
    ctx.path === '/healthz' || ctx.path === '/readyz' ? answer(ctx) : next()
}

/** Returns the body of a health check. A process is ready without Redis, so Redis only appears in the body. */
export function healthBody(isWell: boolean, redis: RedisHealth | undefined) {
  return {
    status: isWell ? 'ok' : 'unavailable',
    ...(redis && { redis: redis.state, redis_failures: redis.failures }),
  }
}

/** Whether Postgres answers in time. */
export function answersQueries(sql: Sql): Promise<boolean> {
  return withTimeout(timeoutMs, sql`select 1`).then(
    () => true,
    () => false,
  )
}

/** A server for health checks with a separate port and thread. */
interface HealthThread {
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
 * Indexes of the shared memory: turns that the event loop counted, whether the process drains, whether it is
 * ready, the index of its state of Redis in `redisStates`, and the failed commands.
 */
export const healthWords = { turns: 0, isDraining: 1, isReady: 2, redisState: 3, redisFailures: 4 } as const

export const redisStates: readonly RedisState[] = ['none', 'ok', 'unavailable']

/**
 * Interval at which the event loop increments its turn count, in milliseconds. The thread reads it to detect a stuck
 * event loop.
 */
const beatEveryMs = 100

/** Interval at which `isReady` is called, in milliseconds. */
const checkEveryMs = 1_000

/**
 * Serves `/healthz` and `/readyz` like `answerHealth`, from a thread. It responds immediately, even if the process's
 * event loop is busy or many connections wait at its port. `isReady` is called every second and must not throw. Throws
 * if the port is in use.
 */
export async function openHealthThread(options: {
  host: string
  port: number
  isReady(): Promise<boolean>
  redisHealth: RedisHealth
}): Promise<HealthThread> {
  const { host, port, isReady, redisHealth } = options
  const shared = new SharedArrayBuffer(Object.keys(healthWords).length * Int32Array.BYTES_PER_ELEMENT)
  const words = new Int32Array(shared)
  const isSource = import.meta.url.endsWith('.ts')
  const file = new URL(`./run-health-thread.${isSource ? 'ts' : 'js'}`, import.meta.url)
  const data: HealthThreadData = { host, port, shared }
  const worker = new Worker(file, { workerData: data })
  const check = async () => {
    Atomics.store(words, healthWords.redisState, redisStates.indexOf(redisHealth.state))
    Atomics.store(words, healthWords.redisFailures, redisHealth.failures)
    Atomics.store(words, healthWords.isReady, (await isReady()) ? 1 : 0)
  }
  await check()
  const [url] = await once(worker, 'message') // rejects if the thread throws
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
