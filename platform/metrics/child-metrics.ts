import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Metrics } from './open-metrics.ts'
import type { Snapshot } from './snapshot.ts'

/** Maximum time in which a child process answers, in milliseconds. Its last snapshot is used instead. */
const answerTimeoutMs = 1_000

interface Scrape {
  scrape: number
}

interface Scraped extends Scrape {
  snapshot: Snapshot
}

/** Whether a message between parent and child is about metrics. */
export function isAboutMetrics(message: unknown): message is Scrape | Scraped {
  return typeof message === 'object' && message !== null && 'scrape' in message
}

/**
 * Answers the scrapes of the process that started this one. Returns the function that sends a last snapshot, before this
 * process ends.
 */
export function answerScrapes(metrics: Metrics): () => Promise<void> {
  const answer = async (scrape: number) => {
    const snapshot = await metrics.snapshot()
    await new Promise<void>(resolve => {
      if (!process.connected || !process.send) return resolve()
      process.send({ scrape, snapshot } satisfies Scraped, () => resolve())
    })
  }
  process.on('message', message => {
    if (isAboutMetrics(message)) void answer(message.scrape)
  })
  return () => answer(0)
}

/** The metrics of the processes that this one has started. */
export interface ChildMetrics {
  /** Includes a process from now on. After its end, its counters remain. */
  add(child: ChildProcess): void
  /** Returns the current metrics of all processes. Never throws. */
  collect(): Promise<Snapshot[]>
}

/** A child that answers scrapes, and its last snapshot. */
interface Child {
  last: Snapshot | undefined
  scrape(): Promise<unknown>
}

export function openChildMetrics(): ChildMetrics {
  const children = new Set<Child>()
  const ended: Snapshot[] = []
  /** The counters of ended processes as one snapshot; none before the first process has ended. */
  let folded: Promise<Snapshot[]> = Promise.resolve([])
  return {
    add(child) {
      const scraped = openChild(child)
      children.add(scraped)
      child.once('exit', () => {
        children.delete(scraped)
        if (scraped.last) ended.push(scraped.last)
      })
    },
    async collect() {
      await Promise.all(Array.from(children, child => child.scrape()))
      const live = [...children].flatMap(({ last }) => last ?? [])
      if (ended.length > 0) folded = fold(folded, ended.splice(0))
      return [...(await folded), ...live]
    },
  }
}

async function fold(folded: Promise<Snapshot[]>, ended: readonly Snapshot[]): Promise<Snapshot[]> {
  const { foldEnded } = await import('./render-metrics.ts')
  return [await foldEnded([...(await folded), ...ended])]
}

function openChild(child: ChildProcess): Child {
  const waiting = new Map<number, () => void>()
  let count = 0
  const opened: Child = {
    last: undefined,
    async scrape() {
      const scrape = ++count
      const answered = new Promise<void>(resolve => waiting.set(scrape, resolve))
      // An error means that the child has ended.
      child.send({ scrape } satisfies Scrape, error => error && waiting.get(scrape)?.())
      await Promise.race([answered, sleep(answerTimeoutMs, undefined, { ref: false })])
      waiting.delete(scrape)
    },
  }
  child.on('message', (message: unknown) => {
    if (!isAboutMetrics(message) || !('snapshot' in message)) return
    opened.last = message.snapshot
    waiting.get(message.scrape)?.()
  })
  return opened
}
