import { median } from '../measure/percentile.ts'
import type { FloorScenario } from '../scenarios/scenario.ts'
import type { System } from '../system/start-system.ts'
import { judge, type Verdict } from './judge.ts'
import type { Lengths } from './plan-round.ts'
import { type Round, runRound } from './run-round.ts'

/** The medians of one side's rounds. */
export interface SideFigures {
  perSecond: number
  p50Ms: number
  p99Ms: number
  cpuPerThousand: Record<string, number>
}

/** The result of a scenario. */
export interface ScenarioReport {
  name: string
  says: string
  floor: SideFigures
  /** The edge; the floor again where that is the scenario. */
  other: SideFigures
  /** Requests per second of the other side to the floor's, of the medians, and of single pairs of rounds. */
  ratio: number
  lowestRatio: number
  highestRatio: number
  addedP50Ms: number
  addedP99Ms: number
  verdict: Verdict | undefined
  faults: string[]
  rounds: Round[]
}

/** Two rounds, one after the other. */
interface Pair {
  floor: Round
  other: Round
}

/**
 * Runs a scenario: floor and other side by turns, so that both meet the same noise. The first pair counts for
 * nothing but its faults: it finds the processes cold.
 */
export async function runScenario(
  system: System,
  { scenario, rounds, lengths }: { scenario: FloorScenario; rounds: number; lengths: Lengths },
): Promise<ScenarioReport> {
  const { name, says } = scenario
  const cold = await runPair(system, scenario, lengths)
  const pairs: Pair[] = []
  for (let turn = 0; turn < rounds; turn++) pairs.push(await runPair(system, scenario, lengths))
  const floor = figuresOf(pairs.map(pair => pair.floor))
  const other = figuresOf(pairs.map(pair => pair.other))
  const ratios = pairs.map(pair => pair.other.perSecond / pair.floor.perSecond)
  const compared = {
    ratio: other.perSecond / floor.perSecond,
    addedP50Ms: other.p50Ms - floor.p50Ms,
    addedP99Ms: other.p99Ms - floor.p99Ms,
  }
  const measured = {
    ...compared,
    edgeCpu: cpuOf(other, 'edge') / cpuOf(floor, 'floor'),
    postgresMs: cpuOf(other, 'postgres'), // seconds for a thousand answers are milliseconds for one
  }
  return {
    name,
    says,
    floor,
    other,
    ...compared,
    lowestRatio: Math.min(...ratios),
    highestRatio: Math.max(...ratios),
    verdict: judge(scenario.targets, measured),
    faults: [cold, ...pairs].flatMap(pair => [...faultsOf(pair.floor), ...faultsOf(pair.other)]),
    rounds: pairs.flatMap(pair => [pair.floor, pair.other]),
  }
}

async function runPair(
  system: System,
  { load, against = 'edge' }: FloorScenario,
  lengths: Lengths,
): Promise<Pair> {
  const floor = await runRound(system, { side: 'floor', load, lengths })
  const other = await runRound(system, { side: against, load, lengths })
  return { floor, other }
}

function cpuOf({ cpuPerThousand }: SideFigures, name: string): number {
  return cpuPerThousand[name] ?? Number.NaN
}

function faultsOf({ side, faults }: Round): string[] {
  return faults.map(fault => `${side}: ${fault}`)
}

function figuresOf(rounds: readonly Round[]): SideFigures {
  const names = Object.keys(rounds[0]?.cpuPerThousand ?? {})
  const cpuOf = (name: string) => median(rounds.map(round => round.cpuPerThousand[name] ?? Number.NaN))
  return {
    perSecond: median(rounds.map(round => round.perSecond)),
    p50Ms: median(rounds.map(round => round.p50Ms)),
    p99Ms: median(rounds.map(round => round.p99Ms)),
    cpuPerThousand: Object.fromEntries(names.map(name => [name, cpuOf(name)])),
  }
}
