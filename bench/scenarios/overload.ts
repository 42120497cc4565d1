import { setTimeout as sleep } from 'node:timers/promises'
import { startLoadGenerator } from '../load/generate-load.ts'
import { medianOf, percentile } from '../measure/statistics.ts'
import { row } from '../report/result.ts'
import { runRound } from '../rounds/run-round.ts'
import type { System } from '../system/start-system.ts'
import type { RunOptions, Scenario } from './scenario.ts'

const keys = 100
const peakConnections = 50
const healthIntervalMs = 100

/** The load generator's priority: clients have their own machines and take no CPU from the edge. */
const niceness = 10

/** More than the edge can serve: what it still answers, how fast it refuses the rest, and whether `/healthz` answers. */
export const overload: Scenario[] = [
  { name: 'overload-1', description: 'as much as its peak', ...offering(1) },
  { name: 'overload-3', description: 'three times its peak', ...offering(3, 0.7) },
]

function offering(times: number, minGoodput?: number): Pick<Scenario, 'run'> {
  return {
    async run(system, options) {
      using stack = new DisposableStack()
      const load = stack.adopt(startLoadGenerator(niceness), generator => generator.stop())
      const pids = { ...system.pids, load: load.pid }
      const rounds = await runRounds({ ...system, load, pids }, { ...options, times })
      const middle = (figure: (round: (typeof rounds)[number]) => number) => medianOf(rounds, figure)
      return {
        rows: [
          row(
            'requests/s',
            {
              peak: middle(({ peak }) => peak.perSecond),
              sent: middle(({ sentPerSecond }) => sentPerSecond),
              answered: middle(({ offered }) => offered.perSecond),
              refused: middle(({ offered }) => offered.refusedPerSecond),
              'of the peak': middle(({ offered, peak }) => offered.perSecond / peak.perSecond),
            },
            { 'of the peak': { min: minGoodput } },
          ),
          row('p50 ms', { refused: middle(({ offered }) => offered.refusedP50Ms) }),
          row('p99 ms', {
            answered: middle(({ offered }) => offered.p99Ms),
            refused: middle(({ offered }) => offered.refusedP99Ms),
            'sending delay': middle(({ offered }) => offered.lateP99Ms),
            'health port': middle(({ healthP99Ms }) => healthP99Ms),
            'health at base URL': middle(({ baseHealthP99Ms }) => baseHealthP99Ms),
          }),
        ],
        faults: rounds.flatMap(({ peak, offered }) => [...peak.faults, ...offered.faults]),
        data: rounds,
      }
    },
  }
}

/** Measures the edge's throughput in a closed loop, then offers a multiple of it in an open loop, alternately. */
async function runRounds(system: System, { rounds, lengths, times }: RunOptions & { times: number }) {
  const round = async () => {
    const peak = await runRound(system, { load: { shape: { connections: peakConnections }, keys }, lengths })
    const sentPerSecond = peak.perSecond * times
    const load = { shape: { perSecond: sentPerSecond }, keys, mayBeRefused: true }
    const over = new AbortController()
    const [offered, healthP99Ms, baseHealthP99Ms] = await Promise.all([
      runRound(system, { load, lengths }).finally(() => over.abort()),
      watchHealth(system.edge.healthPort, over.signal),
      watchHealth(system.ports.edge, over.signal),
    ])
    return { peak, sentPerSecond, offered, healthP99Ms, baseHealthP99Ms }
  }
  await round() // the edge is cold
  const measured: Awaited<ReturnType<typeof round>>[] = []
  while (measured.length < rounds) measured.push(await round())
  return measured
}

/** Resolves to the 99th percentile of the duration of `/healthz` on new connections, in milliseconds. */
async function watchHealth(port: number, signal: AbortSignal): Promise<number> {
  const checks: Promise<number>[] = []
  while (!signal.aborted) {
    checks.push(checkHealth(`http://127.0.0.1:${port}/healthz`))
    await sleep(healthIntervalMs, undefined, { signal }).catch(() => {})
  }
  return percentile(await Promise.all(checks), 0.99)
}

async function checkHealth(url: string): Promise<number> {
  const startedAt = performance.now()
  const isHealthy = await fetch(url, { headers: { connection: 'close' } }).then(
    async response => (await response.text()) !== '' && response.ok,
    () => false,
  )
  return isHealthy ? performance.now() - startedAt : Number.POSITIVE_INFINITY
}
