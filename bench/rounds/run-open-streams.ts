import { setTimeout as sleep } from 'node:timers/promises'
import { secondsToAsk } from '../load/ask-once.ts'
import type { Heap } from '../measure/open-heap.ts'
import type { OpenStreams } from '../scenarios/scenario.ts'
import type { System } from '../system/start-system.ts'
import { judgeAtMost, type Verdict } from './judge.ts'
import { runRound } from './run-round.ts'
import { type Held, readCollected, watchHeld } from './watch-held.ts'

/** What streams cost the edge while they are open. */
export interface OpenStreamsReport extends Held {
  name: string
  says: string
  /** Beyond what the edge had after as many had been opened and closed once. */
  bytesEach: number
  /** Growth over the memory before the first such load, which includes one-time growth, in bytes per stream. */
  firstBytesEach: number
  /** Of `bytesEach`, what lives in the heap. */
  liveBytesEach: number
  cpuMicrosPerChunk: number
  verdict: Verdict | undefined
  faults: string[]
}

/** Between streams, so that connections close and garbage goes. */
const settleMs = 6000
/** Pause after a garbage collection until the edge no longer sheds load, in milliseconds: the collection blocks its event loop. */
const awakeMs = 1000
/** After the last stream began, until what it took to begin is done. */
const calmSeconds = 2
const warmUpChunks = 8

/**
 * Opens all streams, lets them end, and opens them once more; reads the edge's memory before and while they are open,
 * its CPU while they are. All answers are checked, and the books.
 */
export async function runOpenStreams(system: System, scenario: OpenStreams): Promise<OpenStreamsReport> {
  const { name, says, open, atMostBytesEach } = scenario
  const heap = await system.openHeap()
  const first = await holdOpen(system, heap, { ...open, chunks: warmUpChunks })
  await sleep(settleMs)
  const second = await holdOpen(system, heap, open)
  heap.close()
  const bytesEach = second.grownBytes / open.streams
  const chunks = (open.streams * second.seconds * 1000) / open.everyMs
  return {
    name,
    says,
    ...second,
    bytesEach,
    liveBytesEach: second.liveBytes / open.streams,
    firstBytesEach: first.grownBytes / open.streams,
    cpuMicrosPerChunk: (second.cpuSeconds / chunks) * 1e6,
    verdict: judgeAtMost(atMostBytesEach, bytesEach, limit => `${(limit / 1000).toFixed(0)} kB`),
    faults: [...first.faults, ...second.faults],
  }
}

/** Opens the streams and watches the edge from when all of them have begun until the first one ends. */
async function holdOpen(
  system: System,
  heap: Heap,
  open: OpenStreams['open'],
): Promise<Held & { faults: string[] }> {
  const { streams, model, chunks, everyMs } = open
  const { edge } = system.pids
  if (edge === undefined) throw new Error('there is no edge to watch')
  const before = await readCollected(edge, heap)
  await sleep(awakeMs)
  const beginSeconds = secondsToAsk(streams) + calmSeconds
  const lastSeconds = (chunks * everyMs) / 1000
  const load = {
    shape: { once: streams },
    keys: system.keys.length,
    model,
    streamChunks: chunks,
    chunkEveryMs: everyMs,
  }
  const lengths = { warmUpSeconds: 0, seconds: lastSeconds * 10 } // each asks once, however long that is
  const [held, { answers, faults }] = await Promise.all([
    watchHeld(edge, { heap, before, beginSeconds, seconds: lastSeconds - beginSeconds - 1 }),
    runRound(system, { side: 'edge', load, lengths }),
  ])
  const short = [
    ...(held.sockets < 2 * streams ? [`${held.sockets} sockets for ${streams} streams`] : []),
    ...(answers < streams ? [`${answers} answers of ${streams}`] : []),
  ]
  return { ...held, faults: [...faults, ...short] }
}
