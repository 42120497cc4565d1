import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../platform/clock.ts'
import type { Config } from '../platform/config/read-config.ts'
import { openHealthThread } from '../platform/http/health.ts'
import { type Log, openLog } from '../platform/log.ts'
import type { Running } from '../platform/process/run-main.ts'
import { noRedis, openRedis } from '../platform/redis/open-redis.ts'
import { watchRedis } from '../platform/redis/redis-health.ts'
import { keepCommitter } from './keep-committer.ts'

/** Delay before a worker is replaced, in milliseconds. It grows with each worker that ended before it served. */
const backoffMs = { first: 200, max: 5_000 }

/** The message of a worker that accepts no more requests and lets those in flight end. */
export const draining = 'draining'

/**
 * Starts `count` workers of this entry file behind one port, and the committer that they share. A worker that drains or
 * ends is replaced. The first is tried alone: if it ends before it serves, the others would too. It has reported the
 * reason; then nothing is started, and the exit code is 1.
 */
export async function startWorkers(config: Config, count: number): Promise<Running | undefined> {
  const log = openLog({ level: config.logLevel, name: 'edge' })
  const halt = new AbortController()
  const serving = new Set<number>()
  cluster.on('listening', ({ id }) => serving.add(id)).on('exit', ({ id }) => serving.delete(id))
  cluster.on('message', ({ id }, message) => message === draining && serving.delete(id))
  const committer = await keepCommitter(log)
  if (!committer) {
    process.exitCode = 1
    return undefined
  }
  cluster.setupPrimary({ args: ['--committer', committer.path] })
  const first = cluster.fork()
  const port = await portOf(first)
  if (port === undefined) {
    process.exitCode = 1
    await committer.close()
    return undefined
  }
  const others = Array.from({ length: count - 1 }, () => cluster.fork())
  await Promise.all(others.map(portOf))
  const kept = [first, ...others].map(worker =>
    keep(worker, halt.signal, end => log.warn(end, 'a worker ended')),
  )
  const { host, healthPort } = config
  const health = healthPort > 0 ? await openHealth(config, log, async () => serving.size > 0) : undefined
  return {
    url: `http://${host}:${port}`,
    async close() {
      health?.drain()
      halt.abort()
      const running = Object.values(cluster.workers ?? {}).filter(worker => worker !== undefined)
      for (const worker of running) worker.process.kill('SIGTERM')
      await Promise.all([...running.map(ended), ...kept])
      await committer.close()
      await health?.close()
    },
  }
}

/** The health of all workers. It watches Redis over its own connection. */
async function openHealth(config: Config, log: Log, isReady: () => Promise<boolean>) {
  const { host, healthPort, redisUrl, redisCluster } = config
  const redis = openRedis({ url: redisUrl, cluster: redisCluster, name: 'edge-health' })
  const isNone = redisUrl === noRedis
  const redisHealth = watchRedis(redis, { log, clock: systemClock, isNone })
  const thread = await openHealthThread({ host, port: healthPort, isReady, redisHealth })
  return {
    drain: () => thread.drain(),
    async close() {
      redisHealth.close()
      redis.disconnect()
      await thread.close()
    },
  }
}

/**
 * Replaces a worker, and each of its successors, when it drains or ends. `tell` is called for each worker that ended.
 * Resolves after `halt`, when the last worker drains or has ended.
 */
async function keep(worker: Worker, halt: AbortSignal, tell: (ended: object) => void): Promise<void> {
  let current = worker
  for (let waitMs = backoffMs.first; ; ) {
    const { process } = current
    const over = ended(current).then(() => {
      if (halt.aborted) return
      tell({ worker: process.pid, exitCode: process.exitCode, signalCode: process.signalCode })
    })
    await Promise.race([over, drains(current)])
    if (halt.aborted) return
    await sleep(waitMs, undefined, { signal: halt }).catch(() => {})
    if (halt.aborted) return
    current = cluster.fork()
    const serves = (await portOf(current)) !== undefined
    waitMs = serves ? backoffMs.first : Math.min(2 * waitMs, backoffMs.max)
  }
}

/** The port that a worker has begun to serve; undefined where it ended instead. */
function portOf(worker: Worker): Promise<number | undefined> {
  return new Promise(resolve => {
    worker.once('listening', ({ port }) => resolve(port))
    void ended(worker).then(() => resolve(undefined))
  })
}

function drains(worker: Worker): Promise<void> {
  return new Promise(resolve => worker.on('message', message => message === draining && resolve()))
}

async function ended(worker: Worker): Promise<void> {
  if (!worker.isDead()) await new Promise(resolve => worker.once('exit', resolve))
}
