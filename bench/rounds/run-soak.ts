import type { Load } from '../scenarios/scenario.ts'
import { checkLedger, countSettled } from '../system/check-ledger.ts'
import type { System } from '../system/start-system.ts'
import { planRound } from './plan-round.ts'
import { fitTrend, type MemorySample, type Trend, watchMemory } from './watch-memory.ts'

/** The edge's memory under a long load. */
export interface SoakReport extends Trend {
  minutes: number
  answers: number
  faults: string[]
  samples: MemorySample[]
}

/** Duration of each segment, in seconds. Whole and streamed responses alternate. */
const segmentSeconds = 20

/** Loads the edge for a number of minutes with 50 connections and 1,000 keys, samples its memory and checks the books. */
export async function runSoak(
  system: System,
  { minutes, tell }: { minutes: number; tell(line: string): void },
): Promise<SoakReport> {
  const segments = Math.max(2, Math.round((minutes * 60) / segmentSeconds))
  const seconds = (minutes * 60) / segments
  const settledBefore = await countSettled(system.context)
  const watch = watchMemory(system.pids.edge)
  const faults: string[] = []
  let answers = 0
  for (let segment = 0; segment < segments; segment++) {
    const load: Load = { shape: { connections: 50 }, keys: 1000, streamChunks: segment % 2 === 0 ? 0 : 20 }
    const plan = planRound(system, { side: 'edge', load, lengths: { warmUpSeconds: 0, seconds } })
    const result = await system.load.generate(plan)
    answers += result.answers
    faults.push(...result.faults)
    tell(`${Math.round((segment + 1) * seconds)} s, ${answers.toLocaleString('en-US')} answers`)
  }
  const samples = watch.stop()
  faults.push(...(await checkLedger(system.context, { settledBefore, answers })))
  return { minutes, answers, faults, ...fitTrend(samples), samples }
}
