import { setTimeout as sleep } from 'node:timers/promises'
import { countSockets } from '../measure/count-sockets.ts'
import { readCpuSeconds } from '../measure/measure-cpu.ts'
import { readMemory } from '../measure/measure-memory.ts'
import { median } from '../measure/percentile.ts'
import { watchMemory } from './watch-memory.ts'

/** A process while it holds many connections open. */
export interface Held {
  /** Resident, at the median of a reading a second, beyond what was resident before. */
  grownBytes: number
  /** In so many seconds. */
  cpuSeconds: number
  seconds: number
  /** The fewest at both ends of that time. */
  sockets: number
}

/** Reads a process's memory now, and memory, CPU and sockets for so many seconds from then on. */
export async function watchHeld(
  pid: number | undefined,
  { beginSeconds, seconds }: { beginSeconds: number; seconds: number },
): Promise<Held> {
  if (pid === undefined) throw new Error('there is no process to watch')
  const before = readMemory(pid).residentBytes
  await sleep(beginSeconds * 1000)
  const startedAt = performance.now()
  const { process: cpuBefore = Number.NaN } = readCpuSeconds({ process: pid })
  const socketsAtFirst = countSockets(pid)
  const watch = watchMemory(pid)
  await sleep(seconds * 1000)
  const { process: cpuAfter = Number.NaN } = readCpuSeconds({ process: pid })
  return {
    grownBytes: median(watch.stop().map(({ residentBytes }) => residentBytes)) - before,
    cpuSeconds: cpuAfter - cpuBefore,
    seconds: (performance.now() - startedAt) / 1000,
    sockets: Math.min(socketsAtFirst, countSockets(pid)),
  }
}
