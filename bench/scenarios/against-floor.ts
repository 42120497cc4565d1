import { models } from '../load/models.ts'
import type { Load } from '../load/plan.ts'
import { medianOf } from '../measure/statistics.ts'
import { row } from '../report/result.ts'
import { ratioOf, runPairs } from '../rounds/run-pairs.ts'
import { type Round, runRound } from '../rounds/run-round.ts'
import type { Side } from '../system/start-system.ts'
import type { Scenario } from './scenario.ts'

/** The edge's targets, relative to the floor in the same run unless they have a unit. */
interface Targets {
  /** Minimum requests per second, as a share of the floor's. */
  minRatio?: number
  /** Maximum CPU of the edge per response, as a multiple of the floor's. */
  maxCpuRatio?: number
  /** Maximum CPU of Postgres per response, in milliseconds. */
  maxPostgresMs?: number
  /** Maximum median latency, in milliseconds. */
  maxP50Ms?: number
  /** Maximum latency in addition to the floor's, in milliseconds. */
  maxAddedP50Ms?: number
  maxAddedP99Ms?: number
}

/** The same load on the floor and the edge. */
export const againstFloor: Scenario[] = [
  // The floor against itself: the distance of the ratio from 1 is noise of this machine.
  compared('floor-floor', 'the floor against itself, 50 connections', { side: 'floor', load: closed(50) }),
  // One key: all requests share one hold, one balance and one set of windows.
  compared('hot-1', 'one key, 1 connection', {
    load: closed(1),
    targets: { maxP50Ms: 1.25 },
  }),
  compared('hot-50', 'one key, 50 connections', {
    load: closed(50),
    targets: { minRatio: 0.48, maxCpuRatio: 2, maxPostgresMs: 0.035 },
  }),
  compared('hot-200', 'one key, 200 connections', { load: closed(200), targets: { minRatio: 0.62 } }),
  // A thousand keys of a hundred accounts: many holds and balances, with small batches of each.
  compared('keys-1', '1,000 keys, 1 connection', {
    load: closed(1, 1_000),
    targets: { maxP50Ms: 1.8, maxPostgresMs: 0.7 },
  }),
  compared('keys-50', '1,000 keys, 50 connections', {
    load: closed(50, 1_000),
    targets: { minRatio: 0.32, maxPostgresMs: 0.055 },
  }),
  compared('keys-200', '1,000 keys, 200 connections', {
    load: closed(200, 1_000),
    targets: { minRatio: 0.48 },
  }),
  // Streams that arrive as fast as they can be read.
  compared('streams-20', 'streams of 20 chunks, 20 connections', {
    load: { ...closed(20), streamChunks: 20 },
    targets: { minRatio: 0.45, maxCpuRatio: 2.3 },
  }),
  compared('latency-500', '500 requests/s, 50 keys, 50 ms upstream', {
    load: { shape: { perSecond: 500 }, keys: 50, upstreamLatencyMs: 50 },
    targets: { maxAddedP50Ms: 2.5, maxAddedP99Ms: 10 },
  }),
]

/** Images, which the floor forwards inline, and the edge holds, charges, extracts, stores and answers as URLs. */
export const images: Scenario[] = [64, 1024].map(kilobytes =>
  compared(`images-${kilobytes}`, `images of ${kilobytes} kB, 20 connections`, {
    load: { ...closed(20), protocol: 'images', model: models.images, imageBytes: kilobytes << 10 },
  }),
)

function closed(connections: number, keys = 1): Load {
  return { shape: { connections }, keys }
}

/** Returns a scenario that alternates a load on the floor and the edge, or on another side. */
function compared(
  name: string,
  description: string,
  { load, side = 'edge', targets = {} }: { load: Load; side?: Side; targets?: Targets },
): Scenario {
  return {
    name,
    description,
    needsWarmUp: true,
    async run(system, { rounds, lengths }) {
      const pairs = await runPairs(rounds, {
        base: () => runRound(system, { side: 'floor', load, lengths }),
        other: () => runRound(system, { side, load, lengths }),
      })
      const { base, other, faults } = pairs
      const column = side === 'floor' ? 'again' : side
      const perSecond = (round: Round) => round.perSecond
      const latency = (figure: (round: Round) => number) => {
        const [floor, edge] = [medianOf(base, figure), medianOf(other, figure)]
        return { floor, [column]: edge, added: edge - floor }
      }
      const cpu = (measured: Round[], process: string) => medianOf(measured, ({ cpuMs }) => cpuMs[process]!)
      const [floorCpu, sideCpu] = [cpu(base, 'floor'), cpu(other, side)]
      const others = ['postgres', 'redis', 'upstream', 'load'].map(process => [process, cpu(other, process)])
      return {
        rows: [
          row(
            'requests/s',
            {
              floor: medianOf(base, perSecond),
              [column]: medianOf(other, perSecond),
              ...ratioOf(pairs, perSecond),
            },
            { ratio: { min: targets.minRatio } },
          ),
          row(
            'p50 ms',
            latency(({ p50Ms }) => p50Ms),
            { [column]: { max: targets.maxP50Ms }, added: { max: targets.maxAddedP50Ms } },
          ),
          row(
            'p99 ms',
            latency(({ p99Ms }) => p99Ms),
            { added: { max: targets.maxAddedP99Ms } },
          ),
          row(
            'CPU ms per response',
            { floor: floorCpu, [column]: sideCpu, ratio: sideCpu / floorCpu, ...Object.fromEntries(others) },
            { ratio: { max: targets.maxCpuRatio }, postgres: { max: targets.maxPostgresMs } },
          ),
        ],
        faults,
        data: { base, other },
      }
    },
  }
}
