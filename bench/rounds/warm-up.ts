import type { Load } from '../load/plan.ts'
import type { Side, System } from '../system/start-system.ts'
import { runRound } from './run-round.ts'

/** The kinds of requests: whole and streamed. */
const kinds: Load[] = [
  { shape: { connections: 50 }, keys: 1 },
  { shape: { connections: 20 }, keys: 1, streamChunks: 20 },
]

const roundSeconds = 2
const maxRounds = 10

/** Number of consecutive rounds that must cost at least nine tenths of the best earlier round before a process counts as warm. */
const steadyRounds = 2
const steadyShare = 0.9

/**
 * Has both sides answer whole and streamed requests before the measurement. V8 compiles until some tens of thousands of
 * requests, which costs seconds of CPU, and the floor is finished sooner.
 */
export async function warmUp(system: System): Promise<void> {
  for (const load of kinds)
    for (const side of ['edge', 'floor'] as const) await untilSteady(system, side, load)
}

/** Has a side answer until its CPU per response no longer falls. Throws if it answers nothing. */
export async function untilSteady(system: System, side: Side, load: Load): Promise<void> {
  const lengths = { warmUpSeconds: 0, seconds: roundSeconds }
  let least = Number.POSITIVE_INFINITY
  let steady = 0
  for (let round = 0; round < maxRounds && steady < steadyRounds; round++) {
    const { cpuMs } = await runRound(system, { side, load, lengths })
    const cost = cpuMs[side] ?? 0
    steady = cost < least * steadyShare ? 0 : steady + 1
    least = Math.min(least, cost)
  }
}
