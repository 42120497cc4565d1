import type { Lengths } from '../rounds/plan-round.ts'
import type { ComparisonReport } from '../rounds/run-comparison.ts'
import type { DeliveriesReport } from '../rounds/run-deliveries.ts'
import type { GraphReport } from '../rounds/run-graph.ts'
import type { GrowthReport } from '../rounds/run-growth.ts'
import type { NeighbourReport } from '../rounds/run-neighbour.ts'
import type { OpenStreamsReport } from '../rounds/run-open-streams.ts'
import type { OverloadReport } from '../rounds/run-overload.ts'
import type { ScenarioReport } from '../rounds/run-scenario.ts'
import type { SoakReport } from '../rounds/run-soak.ts'
import type { TasksReport } from '../rounds/run-tasks.ts'
import type { Machine } from './describe-machine.ts'
import type { MemoryReport } from './present-memory.ts'

/** Everything that a run found; `--json` writes it. */
export interface BenchReport {
  machine: Machine
  rounds: number
  lengths: Lengths
  reports: ScenarioReport[]
  comparisons: ComparisonReport[]
  openStreams: OpenStreamsReport[]
  overloads: OverloadReport[]
  growths: GrowthReport[]
  tasks: TasksReport[]
  deliveries: DeliveriesReport[]
  graphs: GraphReport[]
  neighbours: NeighbourReport[]
  soak: SoakReport | undefined
  memory: MemoryReport[]
}

/** What went wrong: answers, books. Such a run proves nothing. */
export function faultsOf({ soak, ...report }: BenchReport): string[] {
  return [
    ...allOf(report).flatMap(({ name, faults }) => faults.map(fault => `${name}: ${fault}`)),
    ...(soak?.faults.map(fault => `soak: ${fault}`) ?? []),
  ]
}

/** Returns the names of the scenarios that missed a target. */
export function missesOf({ soak, ...report }: BenchReport): string[] {
  const missed = allOf(report)
    .filter(({ verdict }) => verdict?.isMet === false)
    .map(({ name }) => name)
  return soak?.isSteady === false ? [...missed, 'soak'] : missed
}

function allOf(report: Omit<BenchReport, 'soak'>) {
  const { reports, comparisons, openStreams, overloads, growths, tasks, deliveries, graphs, neighbours } =
    report
  return [
    ...reports,
    ...comparisons,
    ...openStreams,
    ...overloads,
    ...growths,
    ...tasks,
    ...deliveries,
    ...graphs,
    ...neighbours,
  ]
}
