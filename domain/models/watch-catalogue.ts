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

/** Watches the catalogue on behalf of any number of watchers: it is read once for all of them. */
export interface CatalogueWatch {
  /**
   * First the present revision, with what changed after `since` where that is given; then each change, without end.
   * With `isResumed` nothing comes before there is something new. Whoever asks closes the stream (`return`). One that
   * reads slowly finds several changes as one, and misses none.
   */
  watch(from?: { since?: bigint | undefined; isResumed?: boolean }): LatestStream<CatalogueChange>
  close(): void
}

/** What is heard within so long is read together. */
const gatherMs = 20

const theCatalogue = 'catalogue'

interface Watcher {
  stream: LatestStream<CatalogueChange>
  /** The revision up to which it was told; undefined for one that begins with the present one. */
  since: bigint | undefined
  isTold: boolean
}

/**
 * Opens the watch of a process. Rows carry the revision at which they changed, and revisions are given out under a
 * lock: what is read after a revision is all that changed after it. News make it read at once and may be lost.
 */
export function openCatalogueWatch(context: Pick<Context, 'sql' | 'news' | 'log'>): CatalogueWatch {
  const { sql, news } = context
  const watchers = new Set<Watcher>()
  let stopListening: (() => void) | undefined
  const reading = repeatReading<typeof theCatalogue>(context, {
    gatherMs,
    watched: () => (watchers.size > 0 ? [theCatalogue] : []),
    read,
    fault: 'the watched catalogue could not be read',
  })

  return {
    watch({ since, isResumed = false } = {}) {
      stopListening ??= news.subscribe(catalogueTopic, () => reading.soon(theCatalogue))
      const stream: Watcher['stream'] = new LatestStream<CatalogueChange>({
        merge: mergeChanges,
        onClose: () => leave(watcher),
      })
      const watcher: Watcher = { stream, since, isTold: isResumed }
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
    const asking = [...watchers]
    if (asking.length === 0) return
    const latest = await readRevision({ sql })
    if (asking.every(({ since, isTold }) => isTold && since === latest)) return
    const known = asking.flatMap(({ since }) => since ?? [])
    const since =
      known.length > 0 ? known.reduce((least, other) => (other < least ? other : least)) : undefined
    const found = await readChanges({ sql }, { since })
    for (const watcher of asking) tell(watcher, found)
  }
}

function tell(watcher: Watcher, found: Awaited<ReturnType<typeof readChanges>>): void {
  const { stream, since = found.revision, isTold } = watcher
  if (isTold && since === found.revision) return
  watcher.since = found.revision
  watcher.isTold = true
  stream.push(changeSince(found, since))
}
