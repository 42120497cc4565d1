import { median } from '../measure/percentile.ts'
import type { Growth } from '../scenarios/scenario.ts'
import type { System } from '../system/start-system.ts'
import type { Lengths } from './plan-round.ts'
import { type Round, runRound } from './run-round.ts'
import { untilSteady } from './warm-up.ts'

/** What requests cost, by how much of something there is. */
export interface GrowthReport {
  name: string
  says: string
  steps: GrowthStep[]
  /** Nothing has to be reached: it shows what grows and what stays flat. */
  verdict: undefined
  faults: string[]
}

export interface GrowthStep {
  edges: number
  keys: number
  perSecond: number
  p50Ms: number
  /** CPU seconds per 1,000 answers, by process; `edge` is all edge processes together. */
  cpuPerThousand: Record<string, number>
}

/** Runs one load on each number of edge processes, then on each number of keys, all on the same stores. */
export async function runGrowth(
  system: System,
  { scenario, rounds, lengths }: { scenario: Growth; rounds: number; lengths: Lengths },
): Promise<GrowthReport> {
  const { name, says, growth } = scenario
  const { connections } = growth
  const faults: string[] = []
  const measure = async (on: System, { edges, keys }: { edges: number; keys: number }) => {
    const load = { shape: { connections }, keys }
    await untilSteady(on, 'edge', load) // new processes are cold, and so are new keys
    const measured: Round[] = []
    for (let turn = 0; turn < rounds; turn++) {
      const round = await runRound(on, { side: 'edge', load, lengths })
      faults.push(...round.faults)
      measured.push(round)
    }
    return stepOf({ edges, keys }, measured)
  }
  const steps: GrowthStep[] = []
  for (const edges of growth.edges) {
    const edge = await system.startEdge({ processes: edges })
    try {
      const on = {
        ...system,
        ports: { ...system.ports, edge: edge.port },
        pids: { ...system.pids, edge: edge.pid },
      }
      steps.push(await measure(on, { edges, keys: growth.keysOfEdges }))
    } finally {
      await edge.stop()
    }
  }
  for (const keys of growth.keys) {
    if (keys > system.keys.length) await system.openKeys(keys - system.keys.length)
    steps.push(await measure(system, { edges: 1, keys }))
  }
  return { name, says, steps, verdict: undefined, faults }
}

function stepOf(of: { edges: number; keys: number }, rounds: readonly Round[]): GrowthStep {
  const names = Object.keys(rounds[0]?.cpuPerThousand ?? {})
  const cpuOf = (name: string) => median(rounds.map(round => round.cpuPerThousand[name] ?? Number.NaN))
  return {
    ...of,
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
    cpuPerThousand: Object.fromEntries(names.map(name => [name, cpuOf(name)])),
  }
}
