import { type ChildProcess, fork } from 'node:child_process'
import { isAboutMetrics } from '../../platform/metrics/child-metrics.ts'
import { draining, type Report, type Role, reportIntervalMs } from './messages.ts'

/** An edge process, as the process that started it sees it. */
export interface Worker {
  id: number
  child: ChildProcess
  /** Whether it serves: false until its first report, and when it drains or has ended. */
  isServing: boolean
  report: Report
  /** Number of intervals since its last report. */
  silentIntervals: number
  /** Resolves to whether it has begun to serve. False if it ended before. */
  serves: Promise<boolean>
  /** Resolves when it drains or has ended. */
  leaves: Promise<void>
  ended: Promise<void>
  /** Sends it a role, unless that would change nothing. */
  assign(role: Role): void
}

/** Silence of a worker after which it counts as busy, in intervals. Another one then accepts connections. */
const silentAfter = 500 / reportIntervalMs

/**
 * Silence after which a worker is killed, in intervals. `/healthz` also reports an event loop as stuck after ten seconds.
 * Intervals and not time, because all processes of a machine that was suspended are silent.
 */
const frozenAfter = 10_000 / reportIntervalMs

/**
 * Starts a worker from this process's own entry file. It inherits the sockets of the shared port. `onBusy` is called when it
 * reports that it has become busy.
 */
export function startWorker(
  id: number,
  options: { committerPath: string; descriptors: readonly number[]; onBusy(): void },
): Worker {
  const { committerPath, descriptors, onBusy } = options
  const args = ['--committer', committerPath, '--sockets', String(descriptors.length)]
  const child = fork(process.argv[1] ?? '', args, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc', ...descriptors],
  })
  const [serves, leaves, ended] = [
    Promise.withResolvers<boolean>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ]
  let assigned: Role | undefined
  const worker: Worker = {
    id,
    child,
    isServing: false,
    report: { fullness: 0, connections: 0 },
    silentIntervals: 0,
    serves: serves.promise,
    leaves: leaves.promise,
    ended: ended.promise,
    assign(role) {
      if (!child.connected || isSame(role, assigned)) return
      child.send(role, () => {}) // a worker that has just ended gets no role
      assigned = role
    },
  }
  let hasLeft = false
  const leave = () => {
    hasLeft = true
    worker.isServing = false
    leaves.resolve()
  }
  child.on('message', (message: Report | typeof draining) => {
    if (isAboutMetrics(message)) return
    if (message === draining) return leave()
    const becomesBusy = message.fullness >= 1 && worker.report.fullness < 1
    worker.silentIntervals = 0
    worker.report = message
    worker.isServing = !hasLeft
    serves.resolve(true)
    if (becomesBusy) onBusy()
  })
  child.once('exit', () => {
    leave()
    serves.resolve(false)
    ended.resolve()
  })
  return worker
}

function isSame(role: Role, assigned: Role | undefined): boolean {
  const { accepts, acceptsWhileBusy, connectionsToEnd } = role
  return (
    accepts === assigned?.accepts &&
    acceptsWhileBusy === assigned.acceptsWhileBusy &&
    connectionsToEnd === 0 &&
    assigned.connectionsToEnd === 0
  )
}

/** Whether a worker serves and has reported recently. */
export function isResponsive({ isServing, silentIntervals }: Worker): boolean {
  return isServing && silentIntervals < silentAfter
}

/** Whether a worker must be killed, because its event loop is stuck. */
export function isFrozen({ isServing, silentIntervals }: Worker): boolean {
  return isServing && silentIntervals >= frozenAfter
}
