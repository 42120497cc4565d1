import { setTimeout as sleep } from 'node:timers/promises'
import { startLoadGenerator } from '../load/generate-load.ts'
import { median, percentile } from '../measure/percentile.ts'
import type { Overload } from '../scenarios/scenario.ts'
import type { System } from '../system/start-system.ts'
import type { Verdict } from './judge.ts'
import type { Lengths } from './plan-round.ts'
import { type Round, runRound } from './run-round.ts'

/** What became of a load beyond what the edge can serve. */
export interface OverloadReport {
  name: string
  says: string
  /** Requests a second: what the edge serves at most, what it was asked, what it answered and what it refused. */
  peakPerSecond: number
  offeredPerSecond: number
  goodPerSecond: number
  refusedPerSecond: number
  goodput: number
  p99Ms: number
  refusedP50Ms: number
  refusedP99Ms: number
  /** How late the load generator sent its requests: part of the latencies above, and no fault of the edge. */
  lateP99Ms: number
  /** Latency of `/healthz` on a new connection, ten times a second during the load: at the health port and at the edge's port. */
  healthP99Ms: number
  baseHealthP99Ms: number
  verdict: Verdict | undefined
  faults: string[]
}

const healthEveryMs = 100

/** How nice the load generator is: a thousand clients have their own machines, and take none of the edge's CPU. */
export const niceness = 10

/** Measures the edge's throughput in a closed loop, then offers a multiple of it in an open loop, alternately. */
export async function runOverload(
  system: System,
  options: { scenario: Overload; rounds: number; lengths: Lengths },
): Promise<OverloadReport> {
  const load = startLoadGenerator(niceness)
  try {
    return await runRounds({ ...system, load, pids: { ...system.pids, load: load.pid } }, options)
  } finally {
    load.stop()
  }
}

async function runRounds(
  system: System,
  { scenario, rounds, lengths }: { scenario: Overload; rounds: number; lengths: Lengths },
): Promise<OverloadReport> {
  const { name, says, overload, atLeastGoodput } = scenario
  const { keys } = overload
  const peaks: Round[] = []
  const offered: (Round & { healthP99Ms: number; baseHealthP99Ms: number; offeredPerSecond: number })[] = []
  for (let turn = 0; turn <= rounds; turn++) {
    const peakLoad = { shape: { connections: overload.peakConnections }, keys }
    const peak = await runRound(system, { side: 'edge', load: peakLoad, lengths })
    const perSecond = peak.perSecond * overload.times
    const load = { shape: { perSecond }, keys, mayBeRefused: true }
    const ending = new AbortController()
    const [round, healthP99Ms, baseHealthP99Ms] = await Promise.all([
      runRound(system, { side: 'edge', load, lengths }).finally(() => ending.abort()),
      watchHealth(system.healthPort, ending.signal),
      watchHealth(system.ports.edge, ending.signal),
    ])
    if (turn === 0) continue // finds the edge cold
    peaks.push(peak)
    offered.push({ ...round, healthP99Ms, baseHealthP99Ms, offeredPerSecond: perSecond })
  }
  const middle = (read: (round: (typeof offered)[number]) => number) => median(offered.map(read))
  const peakPerSecond = median(peaks.map(({ perSecond }) => perSecond))
  const goodput = median(offered.map(({ perSecond }, turn) => perSecond / peaks[turn]!.perSecond))
  return {
    name,
    says,
    peakPerSecond,
    offeredPerSecond: middle(round => round.offeredPerSecond),
    goodPerSecond: middle(round => round.perSecond),
    refusedPerSecond: middle(round => round.refusedPerSecond),
    goodput,
    p99Ms: middle(round => round.p99Ms),
    refusedP50Ms: middle(round => round.refusedP50Ms),
    refusedP99Ms: middle(round => round.refusedP99Ms),
    lateP99Ms: middle(round => round.lateP99Ms),
    healthP99Ms: middle(round => round.healthP99Ms),
    baseHealthP99Ms: middle(round => round.baseHealthP99Ms),
    verdict:
      atLeastGoodput === undefined
        ? undefined
        : { target: `≥ ${atLeastGoodput} of the peak`, isMet: goodput >= atLeastGoodput },
    faults: [...peaks, ...offered].flatMap(({ faults }) => faults),
  }
}

/** The 99th percentile of what the edge's health takes, in milliseconds, until `signal`. */
async function watchHealth(port: number | undefined, signal: AbortSignal): Promise<number> {
  const tookMs: number[] = []
  const asked: Promise<void>[] = []
  while (!signal.aborted) {
    asked.push(askHealth(`http://127.0.0.1:${port}/healthz`).then(ms => void tookMs.push(ms)))
    await sleep(healthEveryMs, undefined, { signal }).catch(() => {})
  }
  await Promise.all(asked)
  return percentile(tookMs, 0.99)
}

async function askHealth(url: string): Promise<number> {
  const askedAt = performance.now()
  const isWell = await fetch(url, { headers: { connection: 'close' } }).then(
    async answer => (await answer.text()) !== '' && answer.ok,
    () => false,
  )
  return isWell ? performance.now() - askedAt : Number.POSITIVE_INFINITY
}
