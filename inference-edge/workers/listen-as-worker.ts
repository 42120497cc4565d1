import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Config } from '../../platform/config/read-config.ts'
import type { Listening, Timeouts } from '../../platform/http/listen.ts'
import { listenAtSharedPort } from '../../platform/http/share-port.ts'
import { isAboutMetrics } from '../../platform/metrics/child-metrics.ts'
import { activeRequests, type Load } from '../server/shed-load.ts'
import { firstSocket, type Report, type Role, reportIntervalMs } from './messages.ts'

/** The share of a core above which a worker is busy. */
const busyCpuShare = 0.8

/** The share of the requests that a worker admits above which it is busy. So it refuses none before another one accepts. */
const busyRequestShare = 0.5

/** The weight of the latest interval in the mean CPU of a worker. */
const latestWeight = 0.3

/**
 * Listens at the port that this process shares with others. Accepts and ends connections as the process that started this
 * one assigns, and reports to it.
 */
export async function listenAsWorker(
  server: Server,
  { sockets, load, config, ...timeouts }: Timeouts & { sockets: number; load: Load; config: Config },
): Promise<Listening> {
  const descriptors = Array.from({ length: sockets }, (_, index) => firstSocket + index)
  const listening = await listenAtSharedPort(server, { ...timeouts, descriptors })
  let role: Role = { accepts: false, acceptsWhileBusy: false, connectionsToEnd: 0 }
  const unused = new UnusedConnections()
  let cpuShare = 0
  let isReportedBusy = false

  const fullness = () => {
    const share = requestShare(load, { expected: unused.count, maxInFlight: config.maxInFlight })
    return Math.max(cpuShare / busyCpuShare, share / busyRequestShare)
  }
  const report = () => {
    isReportedBusy = fullness() >= 1
    const { connections } = listening
    if (process.connected) process.send?.({ fullness: fullness(), connections } satisfies Report)
  }
  const apply = () => {
    if (role.accepts && (role.acceptsWhileBusy || fullness() < 1)) listening.accept()
    else listening.pause()
  }
  const reportIfBusy = () => {
    if (isReportedBusy || fullness() < 1) return
    report() // in a burst, another worker must accept connections before this one refuses requests
    apply()
  }
  const readCpuShare = measureCpuShare()
  const timer = setInterval(() => {
    cpuShare += latestWeight * (readCpuShare() - cpuShare)
    unused.age()
    report()
    apply()
  }, reportIntervalMs)
  process.on('message', (next: Role) => {
    if (isAboutMetrics(next)) return
    role = next
    apply()
  })
  server.on('connection', socket => {
    unused.add(socket)
    reportIfBusy()
  })
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    unused.delete(socket)
    reportIfBusy()
    if (role.connectionsToEnd <= 0) return
    role.connectionsToEnd -= 1
    response.shouldKeepAlive = false
  })
  report()
  return {
    url: listening.url,
    drain(graceMs) {
      clearInterval(timer)
      return listening.drain(graceMs)
    },
  }
}

/** Returns the share of the requests that this process admits that are in progress or expected. */
function requestShare(
  load: Load,
  { expected, maxInFlight }: { expected: number; maxInFlight: number },
): number {
  const { queued, inFlight, maxActive } = load
  return Math.max((activeRequests(load) + expected) / maxActive, (queued + inFlight + expected) / maxInFlight)
}

/** New connections, whose first requests are expected soon. */
class UnusedConnections {
  #recent = new Set<Socket>()
  #older = new Set<Socket>()

  get count(): number {
    return this.#recent.size + this.#older.size
  }

  add(socket: Socket): void {
    this.#recent.add(socket)
  }

  delete(socket: Socket): void {
    if (this.count > 0 && !this.#recent.delete(socket)) this.#older.delete(socket)
  }

  /** Forgets the connections that were new before the last call. */
  age(): void {
    if (this.count > 0) [this.#older, this.#recent] = [this.#recent, new Set()]
  }
}

/** Returns a function that returns the share of a core that this thread has used since it was last called. */
function measureCpuShare(): () => number {
  let [cpu, at] = [process.threadCpuUsage(), performance.now()]
  return () => {
    const { user, system } = process.threadCpuUsage(cpu)
    const now = performance.now()
    const share = (user + system) / 1_000 / Math.max(now - at, 1)
    ;[cpu, at] = [process.threadCpuUsage(), now]
    return share
  }
}
