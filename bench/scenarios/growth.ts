import { medianOf } from '../measure/statistics.ts'
import { type Row, row } from '../report/result.ts'
import { type Round, runRound } from '../rounds/run-round.ts'
import { untilSteady } from '../rounds/warm-up.ts'
import type { System } from '../system/start-system.ts'
import type { RunOptions, Scenario } from './scenario.ts'

const connections = 50
const keyCounts = [10, 1_000, 10_000]

/** What grows with the number of keys. */
export const growth: Scenario = {
  name: 'growth-keys',
  description: '10, 1,000 and 10,000 keys; 50 connections',
  async run(system, options) {
    const steps: Step[] = []
    for (const count of keyCounts) {
      if (count > system.keys.length) await system.openKeys(count)
      steps.push(await measure(system, count, options))
    }
    const faults = steps.flatMap(({ rounds }) => rounds.flatMap(round => round.faults))
    return { rows: steps.map(rowOf), faults, data: steps }
  },
}

interface Step {
  keys: number
  rounds: Round[]
}

async function measure(system: System, keys: number, { rounds, lengths }: RunOptions): Promise<Step> {
  const load = { shape: { connections }, keys }
  await untilSteady(system, 'edge', load) // new keys are cold
  const measured: Round[] = []
  while (measured.length < rounds) measured.push(await runRound(system, { load, lengths }))
  return { keys, rounds: measured }
}

function rowOf({ keys, rounds }: Step): Row {
  const cpu = (process: string) => medianOf(rounds, ({ cpuMs }) => cpuMs[process]!)
  return row(`${keys.toLocaleString('en-US')} keys`, {
    'requests/s': medianOf(rounds, ({ perSecond }) => perSecond),
    'p50 ms': medianOf(rounds, ({ p50Ms }) => p50Ms),
    'edge CPU ms': cpu('edge'),
    'postgres CPU ms': cpu('postgres'),
    'redis CPU ms': cpu('redis'),
  })
}
