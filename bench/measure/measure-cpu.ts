import { isAccounted, readTree } from './process-tree.ts'

/** /proc counts in hundredths of a second on every Linux (USER_HZ). */
const ticksPerSecond = 100

/**
 * CPU seconds that each of the processes has used up to now, with all that descend from it, ended ones included:
 * so PostgreSQL is one figure over all its backends. NaN where the system does not tell.
 */
export function readCpuSeconds(pids: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(pids).map(([name, pid]) => [name, isAccounted ? secondsOf(pid) : Number.NaN]),
  )
}

function secondsOf(pid: number): number {
  return readTree(pid).reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond
}
