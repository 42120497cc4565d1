import { medianOf } from '../measure/statistics.ts'
import { type Row, row } from '../report/result.ts'
import { type Round, runRound } from '../rounds/run-round.ts'
import { untilSteady } from '../rounds/warm-up.ts'
import type { System } from '../system/start-system.ts'
import type { RunOptions, Scenario } from './scenario.ts'

const connections = 50
const edgeCounts = [1, 2, 4]
const keysOfEdges = 1_000
const keyCounts = [10, 1_000, 10_000]

/** What grows with the number of edge processes or keys. CPU, because more processes do not make more cores. */
export const growth: Scenario = {
  name: 'growth',
  description: '1, 2 and 4 edge processes with 1,000 keys; 10, 1,000 and 10,000 keys; 50 connections',
  async run(system, options) {
    const steps: Step[] = []
    for (const processes of edgeCounts) {
      await using edge = await system.startEdge({ processes })
      const ports = { ...system.ports, edge: edge.port }
      const pids = { ...system.pids, edge: edge.pid }
      steps.push(await measure({ ...system, ports, pids }, { edges: processes, keys: keysOfEdges }, options))
    }
    for (const count of keyCounts) {
      if (count > system.keys.length) await system.openKeys(count)
      steps.push(await measure(system, { edges: 1, keys: count }, options))
    }
    const faults = steps.flatMap(({ rounds }) => rounds.flatMap(round => round.faults))
    return { rows: steps.map(rowOf), faults, data: steps }
  },
}

interface Step {
  edges: number
  keys: number
  rounds: Round[]
}

async function measure(
  system: System,
  step: { edges: number; keys: number },
  { rounds, lengths }: RunOptions,
): Promise<Step> {
  const load = { shape: { connections }, keys: step.keys }
  await untilSteady(system, 'edge', load) // new processes and new keys are cold
  const measured: Round[] = []
  while (measured.length < rounds) measured.push(await runRound(system, { load, lengths }))
  return { ...step, rounds: measured }
}

function rowOf({ edges, keys, rounds }: Step): Row {
  const cpu = (process: string) => medianOf(rounds, ({ cpuMs }) => cpuMs[process]!)
  return row(`${edges} edge${edges === 1 ? '' : 's'}, ${keys.toLocaleString('en-US')} keys`, {
    'requests/s': medianOf(rounds, ({ perSecond }) => perSecond),
    'p50 ms': medianOf(rounds, ({ p50Ms }) => p50Ms),
    'edge CPU ms': cpu('edge'),
    'postgres CPU ms': cpu('postgres'),
    'redis CPU ms': cpu('redis'),
  })
}
