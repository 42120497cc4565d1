import { GroupCommit } from '../../platform/group-commit.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { withTimeout } from '../../platform/with-timeout.ts'
import { type CachedKey, readKeys } from './cached-key.ts'
import { keyCopyLifeMs } from './key-revision.ts'

/** Keys that do not exist are remembered for so long, by the HMAC of their whole text. */
const unknownLifeMs = 2_000
const maxUnknown = 10_000

/** Copies of keys in use are read again this often, all in one statement. */
const refreshMs = 350

/** A reading that takes longer has failed: others wait behind it. */
const readPatienceMs = 2_000

/** This process's copies of the keys in use. A copy is never older than its life when it is answered. */
export interface KeyCache {
  /** A key by its public id, at most `keyCopyLifeMs` old; undefined when there is none. Throws when Postgres is away. */
  find(publicId: string, hmac: Buffer): Promise<CachedKey | undefined>
  /** The key as Postgres has it now. */
  read(publicId: string): Promise<CachedKey | undefined>
  close(): void
}

interface Entry {
  copy: CachedKey
  readAt: number
  usedAt: number
}

/**
 * Opens a cache over `sql`; `now` is the monotonic clock, `changed` is told of each key of which a newer copy is read.
 */
export function openKeyCache(
  sql: Sql,
  now: () => number,
  changed: (copy: CachedKey) => void = () => {},
): KeyCache {
  const entries = new Map<string, Entry>()
  const unknown = new Map<string, number>()
  const readings = new GroupCommit<string, CachedKey | undefined>(async publicIds => {
    const readAt = now()
    const copies = await withTimeout(readPatienceMs, readKeys(sql, [...new Set(publicIds)], readAt))
    const found = new Map(copies.map(copy => [copy.publicId, copy]))
    for (const publicId of publicIds) {
      const copy = found.get(publicId)
      const known = entries.get(publicId)
      if (copy && known && known.copy.revision !== copy.revision) changed(copy)
      if (copy) entries.set(publicId, { copy, readAt, usedAt: known?.usedAt ?? readAt })
      else entries.delete(publicId)
    }
    return publicIds.map(publicId => found.get(publicId))
  })

  const refresh = async () => {
    const at = now()
    const inUse: string[] = []
    for (const [publicId, entry] of entries) {
      if (at - entry.usedAt < 2 * refreshMs) inUse.push(publicId)
      else if (at - entry.readAt > keyCopyLifeMs) entries.delete(publicId)
    }
    await Promise.all(inUse.map(publicId => readings.add(publicId)))
  }
  const timer = setInterval(() => void refresh().catch(() => {}), refreshMs)

  return {
    async find(publicId, hmac) {
      const at = now()
      const entry = entries.get(publicId)
      if (entry && at - entry.readAt < keyCopyLifeMs) {
        entry.usedAt = at
        return entry.copy
      }
      const hash = hmac.toString('base64')
      if ((unknown.get(hash) ?? 0) > at) return undefined
      const copy = await readings.add(publicId)
      if (!copy) remember(unknown, hash, at + unknownLifeMs)
      return copy
    },
    read: publicId => readings.add(publicId),
    close: () => clearInterval(timer),
  }
}

function remember(unknown: Map<string, number>, hash: string, until: number): void {
  if (unknown.size >= maxUnknown) unknown.delete(unknown.keys().next().value!)
  unknown.set(hash, until)
}
