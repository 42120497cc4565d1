import { medianOf } from '../measure/statistics.ts'
import type { Round } from './run-round.ts'

/** Rounds of two loads or sides that alternate, in pairs. */
export interface Pairs {
  base: Round[]
  other: Round[]
  /** The faults of all rounds, including the first pair. */
  faults: string[]
}

/** Alternates two kinds of rounds, so that both meet the same noise. The first pair is cold and does not count. */
export async function runPairs(
  rounds: number,
  { base, other }: { base: () => Promise<Round>; other: () => Promise<Round> },
): Promise<Pairs> {
  const pairs: Pairs = { base: [], other: [], faults: [] }
  for (let turn = 0; turn <= rounds; turn++) {
    const pair = { base: await base(), other: await other() }
    pairs.faults.push(...[pair.base, pair.other].flatMap(faultsOf))
    if (turn === 0) continue
    pairs.base.push(pair.base)
    pairs.other.push(pair.other)
  }
  return pairs
}

function faultsOf({ side, faults }: Round): string[] {
  return faults.map(fault => `${side}: ${fault}`)
}

/** Returns the ratio of the other's median to the base's median, and the lowest and highest ratio of single pairs. */
export function ratioOf({ base, other }: Pick<Pairs, 'base' | 'other'>, figure: (round: Round) => number) {
  const ratios = other.map((round, turn) => figure(round) / figure(base[turn]!))
  return {
    ratio: medianOf(other, figure) / medianOf(base, figure),
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
  }
}
