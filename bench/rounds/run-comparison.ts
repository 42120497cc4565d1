import { median } from '../measure/percentile.ts'
import type { Comparison, Load } from '../scenarios/scenario.ts'
import type { System } from '../system/start-system.ts'
import { judgeAtMost, type Verdict } from './judge.ts'
import type { Lengths } from './plan-round.ts'
import { type Round, runRound } from './run-round.ts'

/** The result of a comparison. CPU is the edge's. */
export interface ComparisonReport {
  name: string
  says: string
  /** Pieces of text in each answer, 0 for whole ones. */
  chunks: number
  /** Milliseconds per answer, the medians. */
  baseCpuMs: number
  cpuMs: number
  /** Of the medians, and of single pairs of rounds. */
  ratio: number
  lowestRatio: number
  highestRatio: number
  verdict: Verdict | undefined
  faults: string[]
  rounds: { base: Round; other: Round }[]
}

/** Runs both loads on the edge by turns, so that both meet the same noise. The first pair finds it cold. */
export async function runComparison(
  system: System,
  { scenario, rounds, lengths }: { scenario: Comparison; rounds: number; lengths: Lengths },
): Promise<ComparisonReport> {
  const { name, says, load, base, atMostCpuRatio } = scenario
  const run = (load: Load) => runRound(system, { side: 'edge', load, lengths })
  const cold = { base: await run(base), other: await run(load) }
  const pairs: (typeof cold)[] = []
  for (let turn = 0; turn < rounds; turn++) pairs.push({ base: await run(base), other: await run(load) })
  const baseCpuMs = median(pairs.map(pair => cpuMsOf(pair.base)))
  const cpuMs = median(pairs.map(pair => cpuMsOf(pair.other)))
  const ratio = cpuMs / baseCpuMs
  const ratios = pairs.map(pair => cpuMsOf(pair.other) / cpuMsOf(pair.base))
  return {
    name,
    says,
    chunks: load.streamChunks ?? 0,
    baseCpuMs,
    cpuMs,
    ratio,
    lowestRatio: Math.min(...ratios),
    highestRatio: Math.max(...ratios),
    verdict: judgeAtMost(atMostCpuRatio, ratio, limit => limit.toFixed(2)),
    faults: [cold, ...pairs].flatMap(pair => [...pair.base.faults, ...pair.other.faults]),
    rounds: pairs,
  }
}

/** Seconds per thousand answers are milliseconds per answer. */
function cpuMsOf({ cpuPerThousand }: Round): number {
  return cpuPerThousand.edge ?? Number.NaN
}
