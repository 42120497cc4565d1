import type { LoadResult } from '../load/plan.ts'
import { readCpuSeconds } from '../measure/measure-cpu.ts'
import type { Load, Side } from '../scenarios/scenario.ts'
import { checkLedger, countSettled } from '../system/check-ledger.ts'
import type { System } from '../system/start-system.ts'
import { type Lengths, planRound } from './plan-round.ts'

/** What one side did in one round. */
export interface Round extends LoadResult {
  side: Side
  /** CPU seconds per 1,000 answers, by process. */
  cpuPerThousand: Record<string, number>
}

/** Runs one round on one side and checks every answer and, where money moved, the books. */
export async function runRound(
  system: System,
  options: { side: Side; load: Load; lengths: Lengths },
): Promise<Round> {
  const { side } = options
  const { context, pids } = system
  const movesMoney = side === 'edge'
  const settledBefore = movesMoney ? await countSettled(context) : 0
  const cpuBefore = readCpuSeconds(pids)
  const result = await system.load.generate(planRound(system, options))
  const cpuAfter = readCpuSeconds(pids)
  const { answers, faults } = result
  const misbooked = movesMoney ? await checkLedger(context, { settledBefore, answers }) : []
  const cpuPerThousand = Object.fromEntries(
    Object.keys(pids).map(name => [name, (between(cpuBefore, cpuAfter, name) / answers) * 1000]),
  )
  return { ...result, side, cpuPerThousand, faults: [...faults, ...misbooked] }
}

function between(before: Record<string, number>, after: Record<string, number>, name: string): number {
  return (after[name] ?? Number.NaN) - (before[name] ?? Number.NaN)
}
