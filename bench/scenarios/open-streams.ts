import { setTimeout as sleep } from 'node:timers/promises'
import { secondsToOpen } from '../load/ask-in-turn.ts'
import { models } from '../load/models.ts'
import type { Heap } from '../measure/open-heap.ts'
import { countSockets, measureCpu, readMemory } from '../measure/process-tree.ts'
import { row } from '../report/result.ts'
import { runRound } from '../rounds/run-round.ts'
import type { System } from '../system/start-system.ts'
import type { Scenario } from './scenario.ts'

const streams = 1_000
const measuredChunks = 20
const warmUpChunks = 8
const chunkEveryMs = 1_000
const maxKilobytesEach = 37

/** Time between two loads in which connections are closed and garbage is collected, in milliseconds. */
const settleMs = 6_000
/** Pause after a garbage collection, which blocks the edge, until the edge no longer sheds load, in milliseconds. */
const awakeMs = 1_000
/** Pause after the last stream is opened before CPU is measured, in seconds. */
const calmSeconds = 2

/** Streams of models that write as slowly as people read, open at the same time on one edge process. */
export const openStreams: Scenario[] = (['a', 'b', 'c'] as const).map(vendor => ({
  name: `open-streams-${vendor}`,
  description: `1,000 of vendor_${vendor}, a chunk a second`,
  async run(system) {
    const heap = await system.edge.openHeap()
    // One-time allocations of the edge must not count: the streams are opened and closed once before.
    const first = await holdOpen(system, { heap, model: models[vendor], chunks: warmUpChunks })
    await sleep(settleMs)
    const second = await holdOpen(system, { heap, model: models[vendor], chunks: measuredChunks })
    heap.close()
    const kilobytesEach = (bytes: number) => bytes / streams / 1000
    const received = (streams * second.seconds * 1000) / chunkEveryMs
    return {
      rows: [
        row(
          'kB per stream',
          {
            resident: kilobytesEach(second.grownBytes),
            'in the heap': kilobytesEach(second.liveBytes),
            'at first': kilobytesEach(first.grownBytes),
          },
          { resident: { max: maxKilobytesEach } },
        ),
        row('CPU µs per chunk', { edge: (second.cpuSeconds / received) * 1e6 }),
        row('sockets', { edge: second.sockets }),
      ],
      faults: [...first.faults, ...second.faults],
      data: { first, second },
    }
  },
}))

/** Opens the streams, and measures the edge from when all are open until shortly before the first one ends. */
async function holdOpen(
  system: System,
  { heap, model, chunks }: { heap: Heap; model: string; chunks: number },
) {
  const { pid } = system.edge
  const before = await readCollected(pid, heap)
  await sleep(awakeMs)
  const openSeconds = secondsToOpen(streams) + calmSeconds
  const totalSeconds = (chunks * chunkEveryMs) / 1000
  const watch = async () => {
    await sleep(openSeconds * 1000)
    const startedAt = performance.now()
    const socketsAtFirst = countSockets(pid)
    const { cpuSeconds } = await measureCpu({ edge: pid }, () =>
      sleep((totalSeconds - openSeconds - 1) * 1000),
    )
    const seconds = (performance.now() - startedAt) / 1000
    const after = await readCollected(pid, heap)
    return {
      seconds,
      cpuSeconds: cpuSeconds.edge!,
      grownBytes: after.residentBytes - before.residentBytes,
      liveBytes: after.liveBytes - before.liveBytes,
      sockets: Math.min(socketsAtFirst, countSockets(pid)),
    }
  }
  const load = {
    shape: { connections: streams, isOnce: true },
    keys: system.keys.length,
    model,
    streamChunks: chunks,
    chunkEveryMs,
  } as const
  const lengths = { warmUpSeconds: 0, seconds: totalSeconds * 10 } // responses count whenever they end
  const [held, { answers, faults }] = await Promise.all([watch(), runRound(system, { load, lengths })])
  if (held.sockets < 2 * streams) faults.push(`${held.sockets} sockets for ${streams} streams`)
  if (answers < streams) faults.push(`${answers} answers of ${streams}`)
  return { ...held, faults }
}

/** Has a process collect its garbage, and reads its memory. */
async function readCollected(pid: number, heap: Heap) {
  const liveBytes = await heap.collect()
  return { liveBytes, residentBytes: readMemory(pid).residentBytes }
}
