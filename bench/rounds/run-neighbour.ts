import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, attacks } from '../attack/attacks.ts'
import type { AttackTally } from '../attack/plan.ts'
import { startAttack } from '../attack/start-attack.ts'
import { readMemory } from '../measure/measure-memory.ts'
import { models } from '../scenarios/models.ts'
import type { Neighbour } from '../scenarios/scenario.ts'
import { openAttacker } from '../system/open-attacker.ts'
import type { System } from '../system/start-system.ts'
import { writeMediaDirections } from '../upstream/media.ts'
import type { Verdict } from './judge.ts'
import { openNeighbour } from './open-neighbour.ts'

/** What an attack did to a neighbour. */
export interface NeighbourReport {
  name: string
  says: string
  /** The neighbour's latencies alone and under attack, in milliseconds. */
  aloneP50Ms: number
  aloneP99Ms: number
  p50Ms: number
  p99Ms: number
  /** The attacker's responses by status. */
  attacker: AttackTally
  /** Growth of the process's resident memory during the attack, in bytes. */
  grownBytes: number
  verdict: Verdict
  faults: string[]
}

/** Time until the attack has reached its full strength, in milliseconds. */
const attackStartsMs = 1_000

/** Measures a neighbour alone, then beside an attacker, on a process of their own. */
export async function runNeighbour(system: System, scenario: Neighbour): Promise<NeighbourReport> {
  const { name, says, perSecond, atMostP50, atMostP99 } = scenario
  const attack: Attack = attacks[scenario.attack]
  await using stack = new AsyncDisposableStack()
  const { server, port, measure } = await openNeighbour(system, { target: attack.target, perSecond }, stack)
  const upstreamUrl = `http://127.0.0.1:${system.ports.upstream}`
  const keys = await openAttacker(system.context, attack, { upstreamUrl })
  const alone = await measure(5)
  const before = readMemory(server.pid)
  const attacker = startAttack({
    name: scenario.attack,
    port,
    keys,
    model: models.a,
    imageModel: models.images,
    speechModel: models.speech,
    imagePrompt: writeMediaDirections({ durationMs: 0, bytes: 3 << 20 }),
  })
  await sleep(attackStartsMs)
  const attacked = await measure(1)
  const tally = await attacker.stop()
  const [p50, p99] = [attacked.p50Ms / alone.p50Ms, attacked.p99Ms / alone.p99Ms]
  return {
    name,
    says,
    aloneP50Ms: alone.p50Ms,
    aloneP99Ms: alone.p99Ms,
    p50Ms: attacked.p50Ms,
    p99Ms: attacked.p99Ms,
    attacker: tally,
    grownBytes: readMemory(server.pid).residentBytes - before.residentBytes,
    verdict: {
      target: `p50 ≤ ×${atMostP50}, p99 ≤ ×${atMostP99} (is ×${p50.toFixed(1)}, ×${p99.toFixed(1)})`,
      isMet: p50 <= atMostP50 && p99 <= atMostP99,
    },
    faults: [...alone.faults, ...attacked.faults],
  }
}
