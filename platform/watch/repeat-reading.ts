import type { Log } from '../log.ts'
import { explainFault } from '../process/explain-fault.ts'

/** Reads what is watched, on behalf of all who watch it. */
export interface RepeatedReading<Item> {
  /** Reads an item soon: it was heard of, or somebody waits for it. */
  soon(item: Item): void
  /** An item is watched no longer: it is not read unless it is asked for again. */
  forget(item: Item): void
  close(): void
}

/** What is watched is read again so often, whether anything was heard of it or not. */
const readEveryMs = 1_000

/** Items read by one statement. */
const maxAtOnce = 500

/**
 * Opens the reading of what a process watches. News of changes are hints and may be lost, so everything that `watched`
 * names is read every second; what is heard of is read after `gatherMs`, together with what is heard of meanwhile.
 * `read` is given up to 500 items, once at a time; where it throws, that is logged as `fault`, and the next second
 * tries again.
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
