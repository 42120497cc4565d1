import type { Log } from '../log.ts'
import { explainFault } from '../process/explain-fault.ts'

/** Reads watched items on behalf of all their watchers. */
export interface RepeatedReading<Item> {
  /** Reads an item soon, because of news about it or because a watcher waits for it. */
  soon(item: Item): void
  /** Stops reading an item until it is requested again. */
  forget(item: Item): void
  close(): void
}

/** Interval at which watched items are read, even without news of them, in milliseconds. */
const readEveryMs = 1_000

/** Maximum number of items that one statement reads. */
const maxAtOnce = 500

/**
 * Opens the reading of the items that a process watches. News of changes are hints and may be lost, so all items of
 * `watched` are read every second. Items with news are read together after `gatherMs`. `read` receives at most 500 items
 * and runs once at a time. If it throws, the error is logged as `fault`, and the next second retries.
 */
export function repeatReading<Item>(
  { log }: { log: Pick<Log, 'warn'> },
  reading: {
    gatherMs: number
    watched: () => Iterable<Item>
    read: (items: Item[]) => Promise<void>
    fault: string
  },
): RepeatedReading<Item> {
  const due = new Set<Item>()
  let gathering: NodeJS.Timeout | undefined
  let isReading = false

  const soon = (item: Item) => {
    due.add(item)
    if (!isReading) gathering ??= setTimeout(readDue, reading.gatherMs)
  }
  const every = setInterval(() => {
    for (const item of reading.watched()) soon(item)
  }, readEveryMs)

  return {
    soon,
    forget: item => due.delete(item),
    close() {
      clearInterval(every)
      clearTimeout(gathering)
      due.clear()
    },
  }

  async function readDue(): Promise<void> {
    gathering = undefined
    isReading = true
    while (due.size > 0) {
      const items = [...due].slice(0, maxAtOnce)
      for (const item of items) due.delete(item)
      await reading.read(items).catch(error => {
        log.warn({ error: explainFault(error) }, reading.fault)
      })
    }
    isReading = false
  }
}
