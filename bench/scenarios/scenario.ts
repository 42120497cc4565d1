import type { Lengths } from '../load/plan.ts'
import type { Result } from '../report/result.ts'
import type { System } from '../system/start-system.ts'

/** Something that the benchmark measures. */
export interface Scenario {
  name: string
  /** A few words about what it measures. */
  description: string
  /** Whether floor and edge must be warm before it. */
  needsWarmUp?: true
  /** Whether it only runs if `--only` names it, because it takes long. */
  isOptional?: true
  run(system: System, options: RunOptions): Promise<Result>
}

/** How much a scenario measures. */
export interface RunOptions {
  /** Number of rounds that count. */
  rounds: number
  lengths: Lengths
  /** Whether it only has to show that everything works. */
  isQuick: boolean
  /** Number of requests in the log of `growth-logs`, in millions. */
  logMillions: number
  /** Shows progress. */
  tell(line: string): void
}
