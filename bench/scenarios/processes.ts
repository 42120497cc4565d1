import { medianOf } from '../measure/statistics.ts'
import { type Row, row, type Target } from '../report/result.ts'
import { type Round, runRound } from '../rounds/run-round.ts'
import { untilSteady } from '../rounds/warm-up.ts'
import type { System } from '../system/start-system.ts'
import type { Scenario } from './scenario.ts'

const load = { shape: { connections: 50 }, keys: 1_000 }
const processCounts = [1, 2, 4]

/** Maximum CPU per request of several processes, and minimum throughput, relative to one process. */
const maxCpuRatio = 1.1
const minThroughputRatio = 0.9

/** Several processes of an edge and of a floor, and their rounds. */
interface Sides {
  count: number
  system: System
  edge: Round[]
  floor: Round[]
}

/**
 * What edge processes cost that share a committer. `edge` is the sum of all processes, with the committer. The floor, which
 * shares nothing, shows what the same number of processes costs without it.
 */
export const processes: Scenario = {
  name: 'growth-processes',
  description: '1, 2 and 4 processes of edge and floor in turns; 1,000 keys, 50 connections',
  async run(system, { rounds, lengths }) {
    await using stack = new AsyncDisposableStack()
    const sides: Sides[] = []
    for (const count of processCounts) {
      const edge = stack.use(await system.startEdge({ processes: count }))
      const floor = stack.use(await system.startFloor(count))
      const own = {
        ...system,
        ports: { ...system.ports, edge: edge.port, floor: floor.port },
        pids: { ...system.pids, edge: edge.pid, floor: floor.pid },
      }
      for (const side of ['edge', 'floor'] as const) await untilSteady(own, side, load)
      sides.push({ count, system: own, edge: [], floor: [] })
    }
    const faults: string[] = []
    for (let turn = 0; turn <= rounds; turn++)
      for (const own of sides)
        for (const side of ['edge', 'floor'] as const) {
          const round = await runRound(own.system, { side, load, lengths })
          faults.push(...round.faults)
          if (turn > 0) own[side].push(round) // the first turn is cold
        }
    return {
      rows: sides.map(own => rowOf(own, sides[0]!)),
      faults,
      data: sides.map(({ system: _, ...own }) => own),
    }
  },
}

function rowOf({ count, edge, floor }: Sides, base: Sides): Row {
  const cpu = (process: string) => (round: Round) => round.cpuMs[process] ?? Number.NaN
  const figures = {
    'requests/s': medianOf(edge, round => round.perSecond),
    'p50 ms': medianOf(edge, round => round.p50Ms),
    'edge CPU ms': medianOf(edge, cpu('edge')),
    'postgres CPU ms': medianOf(edge, cpu('postgres')),
    'redis CPU ms': medianOf(edge, cpu('redis')),
    'floor CPU ms': medianOf(floor, cpu('floor')),
  }
  if (count === base.count) return row('1 edge process', figures)
  const ratios = {
    'edge CPU ratio': ratioOf(edge, base.edge, cpu('edge')),
    'postgres CPU ratio': ratioOf(edge, base.edge, cpu('postgres')),
    'requests ratio': ratioOf(edge, base.edge, round => round.perSecond),
    'floor CPU ratio': ratioOf(floor, base.floor, cpu('floor')),
    'floor requests ratio': ratioOf(floor, base.floor, round => round.perSecond),
  }
  const targets: Record<string, Target> = {
    'edge CPU ratio': { max: maxCpuRatio },
    'postgres CPU ratio': { max: maxCpuRatio },
    'requests ratio': { min: minThroughputRatio },
  }
  return row(`${count} edge processes`, { ...figures, ...ratios }, targets)
}

/** Returns the median ratio of rounds to the base's rounds of the same turn. */
function ratioOf(own: Round[], base: Round[], figure: (round: Round) => number): number {
  const pairs = own.map((round, turn) => ({ ratio: figure(round) / figure(base[turn] ?? round) }))
  return medianOf(pairs, pair => pair.ratio)
}
