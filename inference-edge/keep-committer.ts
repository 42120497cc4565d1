import { type ChildProcess, fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Fault } from '../platform/http/health.ts'
import type { Log } from '../platform/log.ts'
import { type ChildMetrics, isAboutMetrics } from '../platform/metrics/child-metrics.ts'

/** The supervised committer of this machine. */
export interface KeptCommitter {
  /** Its Unix socket. */
  path: string
  /** Returns why edge processes cannot use it; undefined if they can. */
  fault(): Fault | undefined
  /** Ends it. Call it when the edge processes have ended. */
  close(): Promise<void>
}

/** The message of a committer to the process that started it, from when it listens. */
export interface CommitterNews {
  processId: string
  /** Whether Postgres does not respond to it. */
  fault: Fault | undefined
}

/** Interval of these messages, in milliseconds. */
export const newsIntervalMs = 250

/** Silence after which the committer counts as unavailable, in milliseconds, as for its edge processes. */
const maxSilenceMs = 8 * newsIntervalMs

/** Delay before the committer is started again, in milliseconds. It doubles while it does not start. */
const backoffMs = { first: 100, max: 5_000 }

/**
 * Starts the committer, and another one whenever it ends. Each continues the holds of the one before. Resolves when the
 * first one listens; to undefined if it ended before, which it has reported. `metrics` includes its metrics.
 */
export async function keepCommitter(log: Log, metrics: ChildMetrics): Promise<KeptCommitter | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'rubicon-')) // only this user can enter it
  const path = join(folder, 'committer')
  const first = start(path, metrics)
  if (!(await first.listens)) {
    await rm(folder, { recursive: true })
    return undefined
  }
  const halt = new AbortController()
  let current = first
  const kept = keep()

  async function keep(): Promise<void> {
    for (let waitMs = backoffMs.first; ; ) {
      await current.ended
      if (halt.signal.aborted) return
      const { pid, exitCode, signalCode } = current.child
      log.warn({ committer: pid, exitCode, signalCode }, 'the committer ended')
      await sleep(waitMs, undefined, { signal: halt.signal }).catch(() => {})
      if (halt.signal.aborted) return
      current = start(path, metrics, current.processId())
      waitMs = (await current.listens) ? backoffMs.first : Math.min(2 * waitMs, backoffMs.max)
    }
  }

  return {
    path,
    fault: () => current.fault(),
    async close() {
      halt.abort()
      current.child.kill('SIGTERM')
      await current.ended
      await kept
      await rm(folder, { recursive: true, force: true })
    },
  }
}

interface Started {
  child: ChildProcess
  /** Whether it has begun to listen. False if it ended before. */
  listens: Promise<boolean>
  ended: Promise<void>
  /** Returns the process ID in the ledger: its own, or its predecessor's until it listens. */
  processId(): string | undefined
  fault(): Fault | undefined
}

function start(path: string, metrics: ChildMetrics, adopted?: string): Started {
  const file = `./committer-main.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), adopted ? [path, adopted] : [path])
  metrics.add(child)
  let processId = adopted
  let postgresFault: Fault | undefined
  let newsAt = Number.NEGATIVE_INFINITY
  const listens = Promise.withResolvers<boolean>()
  const ended = Promise.withResolvers<void>()
  child.on('message', (news: CommitterNews) => {
    if (isAboutMetrics(news)) return
    processId = news.processId
    postgresFault = news.fault
    newsAt = performance.now()
    listens.resolve(true)
  })
  child.once('exit', () => {
    newsAt = Number.NEGATIVE_INFINITY
    listens.resolve(false)
    ended.resolve()
  })
  return {
    child,
    listens: listens.promise,
    ended: ended.promise,
    processId: () => processId,
    fault: () => (performance.now() - newsAt > maxSilenceMs ? 'committer' : postgresFault),
  }
}
