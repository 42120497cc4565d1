import { medianOf } from '../measure/statistics.ts'
import { type Row, row, type Target } from '../report/result.ts'
import { type Round, runRound } from '../rounds/run-round.ts'
import { untilSteady } from '../rounds/warm-up.ts'
import type { System } from '../system/start-system.ts'
import type { Scenario } from './scenario.ts'

const load = { shape: { connections: 50 }, keys: 1_000 }
const processCounts = [1, 2, 4]

/** Maximum CPU per request of several processes, and minimum throughput, relative to one process. */
const maxCpuRatio = 1.25
const minThroughputRatio = 0.9

/** What edge processes cost that share a committer. `edge` is the sum of all processes, with the committer. */
export const processes: Scenario = {
  name: 'growth-processes',
  description: '1, 2 and 4 edge processes in turns; 1,000 keys, 50 connections',
  async run(system, { rounds, lengths }) {
    await using stack = new AsyncDisposableStack()
    const sides: System[] = []
    for (const count of processCounts) {
      const edge = stack.use(await system.startEdge({ processes: count }))
      const side = {
        ...system,
        ports: { ...system.ports, edge: edge.port },
        pids: { ...system.pids, edge: edge.pid },
      }
      await untilSteady(side, 'edge', load)
      sides.push(side)
    }
    const measured: Round[][] = sides.map(() => [])
    for (let turn = 0; turn < rounds; turn++)
      for (const [at, side] of sides.entries()) measured[at]?.push(await runRound(side, { load, lengths }))
    const faults = measured.flat().flatMap(round => round.faults)
    return { rows: processCounts.map((count, at) => rowOf(count, measured, at)), faults, data: measured }
  },
}

function rowOf(count: number, measured: Round[][], at: number): Row {
  const [base = []] = measured
  const own = measured[at] ?? []
  const ratio = (figure: (round: Round) => number) =>
    medianOf(
      own.map((round, turn) => ({ ratio: figure(round) / figure(base[turn] ?? round) })),
      pair => pair.ratio,
    )
  const cpu = (process: string) => (round: Round) => round.cpuMs[process] ?? Number.NaN
  const figures = {
    'requests/s': medianOf(own, round => round.perSecond),
    'p50 ms': medianOf(own, round => round.p50Ms),
    'edge CPU ms': medianOf(own, cpu('edge')),
    'postgres CPU ms': medianOf(own, cpu('postgres')),
    'redis CPU ms': medianOf(own, cpu('redis')),
  }
  if (at === 0) return row('1 edge process', figures)
  const ratios = {
    'edge CPU ratio': ratio(cpu('edge')),
    'postgres CPU ratio': ratio(cpu('postgres')),
    'requests ratio': ratio(round => round.perSecond),
  }
  const targets: Record<string, Target> = {
    'edge CPU ratio': { max: maxCpuRatio },
    'postgres CPU ratio': { max: maxCpuRatio },
    'requests ratio': { min: minThroughputRatio },
  }
  return row(`${count} edge processes`, { ...figures, ...ratios }, targets)
}
