import { againstFloor } from '../scenarios/against-floor.ts'
import type { System } from '../system/start-system.ts'
import { runRound } from './run-round.ts'

/** Some forty thousand requests of each kind: until then V8 still compiles, which costs a process seconds of CPU. */
const kinds = [
  { name: 'hot-50', seconds: 8 },
  { name: 'streams-20', seconds: 4 },
]

/** Has both sides answer, whole and streamed, before anything is measured: what runs for days is never cold. */
export async function warmUp(system: System): Promise<void> {
  for (const { name, seconds } of kinds) {
    const { load } = againstFloor.find(scenario => scenario.name === name)!
    for (const side of ['edge', 'floor'] as const) {
      await runRound(system, { side, load, lengths: { warmUpSeconds: 0, seconds } })
    }
  }
}
