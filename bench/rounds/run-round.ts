import type { Lengths, Load, LoadPlan, LoadResult } from '../load/plan.ts'
import { measureCpu } from '../measure/process-tree.ts'
import { withBooksChecked } from '../system/check-books.ts'
import type { Side, System } from '../system/start-system.ts'

/** The result of one side in one round. */
export interface Round extends LoadResult {
  side: Side
  /** CPU milliseconds per response, by process. */
  cpuMs: Record<string, number>
}

/** A round: the load, its duration, and the side that gets it, the edge unless given. */
interface RoundOptions {
  side?: Side
  load: Load
  lengths: Lengths
}

/** Runs one round on one side, and checks every response and, for the edge, the books. */
export function runRound(system: System, options: RoundOptions): Promise<Round> {
  const { side = 'edge' } = options
  const run = async () => {
    const { result, cpuSeconds } = await measureCpu(system.pids, () =>
      system.load.generate(planRound(system, options)),
    )
    const cpuMs = Object.entries(cpuSeconds).map(([name, used]) => [name, (used * 1000) / result.answers])
    return { ...result, side, cpuMs: Object.fromEntries(cpuMs), faults: result.faults }
  }
  return side === 'edge' ? withBooksChecked(system.context, run) : run()
}

/** Returns the load generator's plan of a round. */
export function planRound(
  { ports, keys }: Pick<System, 'ports' | 'keys'>,
  { side = 'edge', load, lengths }: RoundOptions,
): LoadPlan {
  const { keys: count, positions, ...plan } = load
  const used = positions ? positions.map(at => keys[at]!) : keys.slice(0, count)
  return { ...plan, ...lengths, port: ports[side], keys: used }
}
