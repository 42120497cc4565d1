import { againstFloor } from '../scenarios/against-floor.ts'
import type { Load, Side } from '../scenarios/scenario.ts'
import type { System } from '../system/start-system.ts'
import { runRound } from './run-round.ts'

/** Requests of each kind that a process answers, whole and streamed. */
const kinds = ['hot-50', 'streams-20']

const roundSeconds = 2
const maxRounds = 10

/** Number of consecutive rounds that must cost at least nine tenths of the best earlier round before a process counts as warm. */
const steadyRounds = 2
const steadyShare = 0.9

/**
 * Has both sides answer, whole and streamed, before anything is measured: what runs for days is never cold. Until some
 * tens of thousands of requests V8 still compiles, which costs a process seconds of CPU and is done sooner by the floor.
 */
export async function warmUp(system: System): Promise<void> {
  for (const kind of kinds) {
    const { load } = againstFloor.find(scenario => scenario.name === kind)!
    for (const side of ['edge', 'floor'] as const) await untilSteady(system, side, load)
  }
}

/** Has a side answer until it costs no less. Throws when it answers nothing. */
export async function untilSteady(system: System, side: Side, load: Load): Promise<void> {
  const lengths = { warmUpSeconds: 0, seconds: roundSeconds }
  let least = Number.POSITIVE_INFINITY
  let steady = 0
  for (let round = 0; round < maxRounds && steady < steadyRounds; round++) {
    const { cpuPerThousand, faults } = await runRound(system, { side, load, lengths })
    const cost = cpuPerThousand[side]
    if (!cost || !Number.isFinite(cost))
      throw new Error(`the ${side} answered nothing while it warmed up: ${faults[0] ?? 'no fault told'}`)
    steady = cost < least * steadyShare ? 0 : steady + 1
    least = Math.min(least, cost)
  }
}
