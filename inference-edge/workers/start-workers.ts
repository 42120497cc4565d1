import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/read-config.ts'
import type { Fault } from '../../platform/http/health.ts'
import { openHealthThread } from '../../platform/http/health-thread.ts'
import { openSharedPort } from '../../platform/http/share-port.ts'
import { type Log, openLog } from '../../platform/log.ts'
import { type ChildMetrics, openChildMetrics } from '../../platform/metrics/child-metrics.ts'
import type { Running } from '../../platform/process/run-main.ts'
import { noRedis, openRedis } from '../../platform/redis/open-redis.ts'
import { watchRedis } from '../../platform/redis/redis-health.ts'
import { keepCommitter } from '../keep-committer.ts'
import { assignRoles, type Candidate, noPlan } from './assign-roles.ts'
import { reportIntervalMs } from './messages.ts'
import { isFrozen, isResponsive, startWorker, type Worker } from './worker.ts'

/** Delay before a worker is replaced, in milliseconds. It grows with each worker that ended before it served. */
const backoffMs = { first: 200, max: 5_000 }

/**
 * Starts `count` workers of this entry file behind one port, and the committer that they share. A worker that drains, ends
 * or freezes is replaced. The first is tried alone: if it ends before it serves, the others would too. It has reported the
 * reason; then nothing is started, and the exit code is 1. Throws if the port is in use.
 */
export async function startWorkers(config: Config, count: number): Promise<Running | undefined> {
  const log = openLog({ level: config.logLevel, name: 'edge' })
  const { host, healthPort } = config
  // This process does not accept connections. If it handed them to workers, it would keep a connection open without an
  // answer whose worker ended before it had received it.
  const port = await openSharedPort({ host, port: config.edgePort })
  const metrics = openChildMetrics()
  const committer = await keepCommitter(log, metrics)
  if (!committer) {
    process.exitCode = 1
    port.close()
    return undefined
  }
  const halt = new AbortController()
  const workers = new Set<Worker>()
  const roles = keepRoles(workers, log)
  let started = 0
  const start = () => {
    started += 1
    const { descriptors } = port
    const worker = startWorker(started, { committerPath: committer.path, descriptors, onBusy: roles.assign })
    workers.add(worker)
    metrics.add(worker.child)
    void worker.ended.then(() => workers.delete(worker))
    return worker
  }
  const first = start()
  if (!(await first.serves)) {
    process.exitCode = 1
    roles.close()
    port.close()
    await committer.close()
    return undefined
  }
  const others = Array.from({ length: count - 1 }, start)
  await Promise.all(others.map(({ serves }) => serves))
  const kept = [first, ...others].map(worker => keep(worker, { start, halt: halt.signal, log }))
  const findFault = async () => ([...workers].some(isResponsive) ? committer.fault() : 'processes')
  const health = healthPort > 0 ? await openHealth(config, log, { findFault, metrics }) : undefined
  return {
    url: `http://${host}:${port.port}`,
    async close() {
      health?.drain()
      halt.abort()
      const running = [...workers]
      for (const { child } of running) child.kill('SIGTERM')
      // The workers close the port at the same time.
      const closed = sleep(config.drainDelayMs).then(() => port.close())
      await Promise.all([closed, ...running.map(({ ended }) => ended), ...kept])
      roles.close()
      await committer.close()
      await health?.close()
    },
  }
}

/** Lets workers accept connections one after another, and kills frozen ones. `assign` updates their roles at once. */
function keepRoles(workers: ReadonlySet<Worker>, log: Log): { assign(): void; close(): void } {
  let plan = noPlan
  const assign = () => {
    const serving = [...workers].filter(({ isServing }) => isServing)
    plan = assignRoles(plan, serving.map(candidateOf), performance.now())
    for (const worker of serving) {
      const role = plan.roles.get(worker.id)
      if (role) worker.assign(role)
    }
  }
  const timer = setInterval(() => {
    for (const worker of workers) {
      worker.silentIntervals += 1
      if (!isFrozen(worker)) continue
      log.error({ worker: worker.child.pid }, 'a worker is frozen: killing it')
      worker.child.kill('SIGKILL')
    }
    assign()
  }, reportIntervalMs)
  return { assign, close: () => clearInterval(timer) }
}

/** Returns the state of a worker. A silent one counts as busy, so that another one accepts connections. */
function candidateOf(worker: Worker): Candidate {
  const { id, report } = worker
  return isResponsive(worker) ? { id, ...report } : { id, ...report, fullness: Math.max(1, report.fullness) }
}

/** The health and the metrics of all workers. It watches Redis over its own connection. */
async function openHealth(
  config: Config,
  log: Log,
  { findFault, metrics }: { findFault(): Promise<Fault | undefined>; metrics: ChildMetrics },
) {
  const { host, healthPort, redisUrl, redisCluster } = config
  const redis = openRedis({ url: redisUrl, cluster: redisCluster, name: 'edge-health' })
  const isNone = redisUrl === noRedis
  const redisHealth = watchRedis(redis, { log, clock: systemClock, isNone })
  const thread = await openHealthThread({
    host,
    port: healthPort,
    findFault,
    redisHealth,
    collect: metrics.collect,
  })
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
 * Replaces a worker, and each of its successors, when it drains or ends. Resolves after `halt`, when the last worker drains
 * or has ended.
 */
async function keep(
  worker: Worker,
  { start, halt, log }: { start: () => Worker; halt: AbortSignal; log: Log },
): Promise<void> {
  let current = worker
  for (let waitMs = backoffMs.first; ; ) {
    const { child, ended, leaves } = current
    void ended.then(() => {
      const { pid, exitCode, signalCode } = child
      if (!halt.aborted) log.warn({ worker: pid, exitCode, signalCode }, 'a worker ended')
    })
    await leaves
    if (halt.aborted) return
    await sleep(waitMs, undefined, { signal: halt }).catch(() => {})
    if (halt.aborted) return
    current = start()
    waitMs = (await current.serves) ? backoffMs.first : Math.min(2 * waitMs, backoffMs.max)
  }
}
