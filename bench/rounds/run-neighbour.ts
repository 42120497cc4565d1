import { setTimeout as sleep } from 'node:timers/promises'
import { attacks } from '../attack/attacks.ts'
import type { AttackTally } from '../attack/plan.ts'
import { startAttack } from '../attack/start-attack.ts'
import type { LoadResult } from '../load/plan.ts'
import { readMemory } from '../measure/measure-memory.ts'
import { models } from '../scenarios/models.ts'
import type { Neighbour } from '../scenarios/scenario.ts'
import { openAccounts } from '../system/open-accounts.ts'
import { openAttacker } from '../system/open-attacker.ts'
import type { System } from '../system/start-system.ts'
import { sayMediaDirections } from '../upstream/media.ts'
import type { Verdict } from './judge.ts'
import { planRound } from './plan-round.ts'

/** What an attack did to a neighbour. */
export interface NeighbourReport {
  name: string
  says: string
  /** The neighbour's latencies alone and under attack, in milliseconds. */
  aloneP50Ms: number
  aloneP99Ms: number
  p50Ms: number
  p99Ms: number
  /** What the attacker was answered, by status. */
  attacker: AttackTally
  /** Growth of the edge's resident memory during the attack, in bytes. */
  grownBytes: number
  verdict: Verdict
  faults: string[]
}

/** The rates of a production system: the benchmark's edge has none. */
const environment = { RATE_REQUESTS: '20' }
/** Keys of the neighbour: five requests a second are beyond the rate of one. */
const neighbourKeys = 5
/** Seconds of each phase. */
const seconds = 30
/** Time until the attack has reached its full strength, in milliseconds. */
const attackStartsMs = 1_000

/** Measures a neighbour alone, then beside an attacker, on an edge process of its own. */
export async function runNeighbour(system: System, scenario: Neighbour): Promise<NeighbourReport> {
  const { name, says, atMostP50, atMostP99 } = scenario
  const attack = attacks[scenario.attack]
  const edge = await system.startEdge({ environment })
  try {
    const keys = await openAccounts(system.context, { accounts: 1, keysEach: neighbourKeys })
    const failingUrl = `http://127.0.0.1:${edge.port}/nothing`
    const attackerKeys = await openAttacker(system.context, attack, { failingUrl })
    const ports = { ...system.ports, edge: edge.port }
    const load = { shape: { perSecond: scenario.perSecond }, keys: neighbourKeys }
    const measure = (warmUpSeconds: number): Promise<LoadResult> => {
      const lengths = { warmUpSeconds, seconds }
      return system.load.generate(planRound({ ...system, ports, keys }, { side: 'edge', load, lengths }))
    }
    const alone = await measure(5)
    const before = readMemory(edge.pid)
    const attacker = startAttack({
      name: scenario.attack,
      port: edge.port,
      keys: attackerKeys,
      model: models.a,
      imageModel: models.images,
      imagePrompt: sayMediaDirections({ durationMs: 0, bytes: 3 << 20 }),
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
      grownBytes: readMemory(edge.pid).residentBytes - before.residentBytes,
      verdict: {
        target: `p50 ≤ ×${atMostP50}, p99 ≤ ×${atMostP99} (is ×${p50.toFixed(1)}, ×${p99.toFixed(1)})`,
        isMet: p50 <= atMostP50 && p99 <= atMostP99,
      },
      faults: [...alone.faults, ...attacked.faults],
    }
  } finally {
    await edge.stop()
  }
}
