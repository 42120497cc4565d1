import { setTimeout as sleep } from 'node:timers/promises'
import { countSockets } from '../measure/count-sockets.ts'
import { readCpuSeconds } from '../measure/measure-cpu.ts'
import { readMemory } from '../measure/measure-memory.ts'
import type { Heap } from '../measure/open-heap.ts'

/** A process while it holds many connections open, beside what it was before. Garbage is in none of these figures. */
export interface Held {
  /** Resident beyond before. */
  grownBytes: number
  /** Alive in its heap, and in buffers that the heap holds, beyond before. */
  liveBytes: number
  /** CPU seconds over the measured period. */
  cpuSeconds: number
  seconds: number
  /** The fewest at both ends of that time. */
  sockets: number
}

/** Memory of a process right after it has collected all of its garbage. */
export interface Collected {
  residentBytes: number
  liveBytes: number
}

/** Measures CPU and sockets of a process for a number of seconds, and its memory at their end. */
export async function watchHeld(
  pid: number,
  options: { heap: Heap; before: Collected; beginSeconds: number; seconds: number },
): Promise<Held> {
  const { heap, before, beginSeconds, seconds } = options
  await sleep(beginSeconds * 1000)
  const startedAt = performance.now()
  const { process: cpuBefore = Number.NaN } = readCpuSeconds({ process: pid })
  const socketsAtFirst = countSockets(pid)
  await sleep(seconds * 1000)
  const { process: cpuAfter = Number.NaN } = readCpuSeconds({ process: pid })
  const watchedSeconds = (performance.now() - startedAt) / 1000
  const after = await readCollected(pid, heap)
  return {
    grownBytes: after.residentBytes - before.residentBytes,
    liveBytes: after.liveBytes - before.liveBytes,
    cpuSeconds: cpuAfter - cpuBefore,
    seconds: watchedSeconds,
    sockets: Math.min(socketsAtFirst, countSockets(pid)),
  }
}

/** Has a process collect its garbage, which stops it for a moment, and reads its memory. */
export async function readCollected(pid: number, heap: Heap): Promise<Collected> {
  const liveBytes = await heap.collect()
  return { liveBytes, residentBytes: readMemory(pid).residentBytes }
}
