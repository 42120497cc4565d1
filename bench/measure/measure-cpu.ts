import { isAccounted, readTree } from './process-tree.ts'

/** /proc counts in hundredths of a second on every Linux (USER_HZ). */
const ticksPerSecond = 100

/**
 * Returns the CPU seconds of each process with its descendants so far, including ended ones: PostgreSQL is one figure for
 * all its backends. NaN if the system does not report them.
 */
export function readCpuSeconds(pids: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(pids).map(([name, pid]) => [name, isAccounted ? secondsOf(pid) : Number.NaN]),
  )
}

function secondsOf(pid: number): number {
  return readTree(pid).reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond
}
