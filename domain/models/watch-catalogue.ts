import { LatestStream } from '../../platform/watch/latest-stream.ts'
import { repeatReading } from '../../platform/watch/repeat-reading.ts'
import type { Context } from '../context.ts'
import {
  type CatalogueChange,
  catalogueTopic,
  changeSince,
  mergeChanges,
  readChanges,
} from './catalogue-changes.ts'
import { readRevision } from './model-records.ts'

/** Watches the catalogue for any number of watchers. It is read once for all of them. */
export interface CatalogueWatch {
  /**
   * Returns a stream: first the current revision, with the changes after `since` if given, then each change, without
   * end. With `isResumed`, the first item is the first change. A slow reader gets several changes merged and misses
   * none. The caller must close the stream (`return`).
   */
  watch(from?: { since?: bigint | undefined; isResumed?: boolean }): LatestStream<CatalogueChange>
  close(): void
}

/** Delay in which changes are collected and read together, in milliseconds. */
const gatherMs = 20

const theCatalogue = 'catalogue'

interface Watcher {
  stream: LatestStream<CatalogueChange>
  /** The last revision that the watcher received; undefined if it starts with the current revision. */
  since: bigint | undefined
  isStarted: boolean
}

/**
 * Opens the watch of a process. Rows have the revision at which they changed, and revisions are assigned under a
 * lock. So reading after a revision returns all later changes. Messages trigger an immediate reading but can be lost.
 */
export function openCatalogueWatch(context: Pick<Context, 'sql' | 'news' | 'log'>): CatalogueWatch {
  const { sql, news } = context
  const watchers = new Set<Watcher>()
  let stopListening: (() => void) | undefined
  const reading = repeatReading<typeof theCatalogue>(context, {
    gatherMs,
    watched: () => (watchers.size > 0 ? [theCatalogue] : []),
    read,
    fault: 'reading the watched catalogue failed',
  })

  return {
    watch({ since, isResumed = false } = {}) {
      stopListening ??= news.subscribe(catalogueTopic, () => reading.soon(theCatalogue))
      const stream: Watcher['stream'] = new LatestStream<CatalogueChange>({
        merge: mergeChanges,
        onClose: () => leave(watcher),
      })
      const watcher: Watcher = { stream, since, isStarted: isResumed }
      watchers.add(watcher)
      reading.soon(theCatalogue)
      return stream
    },
    close() {
      reading.close()
      for (const { stream } of [...watchers]) stream.end()
    },
  }

  function leave(watcher: Watcher): void {
    watchers.delete(watcher)
    if (watchers.size > 0) return
    stopListening?.()
    stopListening = undefined
  }

  async function read(): Promise<void> {
    const waiting = [...watchers]
    if (waiting.length === 0) return
    const latest = await readRevision({ sql })
    if (waiting.every(watcher => watcher.isStarted && watcher.since === latest)) return
    const known = waiting.flatMap(watcher => watcher.since ?? [])
    const since =
      known.length > 0 ? known.reduce((least, other) => (other < least ? other : least)) : undefined
    const found = await readChanges({ sql }, { since })
    for (const watcher of waiting) publish(watcher, found)
  }
}

function publish(watcher: Watcher, found: Awaited<ReturnType<typeof readChanges>>): void {
  const { stream, since = found.revision, isStarted } = watcher
  if (isStarted && since === found.revision) return
  watcher.since = found.revision
  watcher.isStarted = true
  stream.push(changeSince(found, since))
}
