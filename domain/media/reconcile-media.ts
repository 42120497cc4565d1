import { dayMs } from '../../platform/clock.ts'
import { lowestUuid } from '../../platform/ids.ts'
import { earlierNow } from '../../platform/postgres/earlier-now.ts'
import { type Media, requireStorage } from './media.ts'
import { dayOf, folderOf, type MediaKind } from './media-name.ts'

/** A difference between the rows of stored files and the storage. */
export interface MediaDifference {
  fault: 'a stored file is missing' | 'a file has no row' | 'a file is past its retention'
  name: string
}

/** The result of a comparison, in batches. */
export interface ReconciledMedia {
  differences: MediaDifference[]
  /** Number of rows in the batch whose file is in the storage. */
  found: number
}

/** Rows or names that are compared at a time, and checks of the storage at the same time. */
const batchSize = 500
const checksAtOnce = 16

/**
 * Time after which an expired file counts as late, in milliseconds: the job that removes files has had a day for it.
 */
const removalGrace = '1 day'

const kinds: readonly MediaKind[] = ['result', 'input', 'upload']

/** Compares the rows of stored files with the storage. Throws if Postgres or the storage fails. */
export async function* reconcileMedia(media: Media): AsyncGenerator<ReconciledMedia> {
  yield* compareRows(media)
  yield* compareFiles(media)
}

/**
 * Repairs differences: a missing file is marked as removed, and a file without a row is deleted. `removeMedia` deletes
 * files past their retention. Safe to repeat, and safe beside a running system: each difference is checked again first.
 */
export async function repairMedia(media: Media, differences: readonly MediaDifference[]): Promise<void> {
  const storage = requireStorage(media)
  const { sql } = media.context
  for (const { fault, name } of differences) {
    if (fault === 'a stored file is missing' && !(await storage.has(name)))
      await sql`
        update media_files set removed_at = coalesce(removed_at, now()), expires_at = least(expires_at, now())
        where name = ${name} and stored_at is not null`
    if (fault === 'a file has no row' && (await withoutRow(media, [name])).length > 0)
      await storage.remove(name)
  }
}

async function* compareRows(media: Media): AsyncGenerator<ReconciledMedia> {
  const { sql } = media.context
  let [accountId, id] = [lowestUuid, '']
  for (;;) {
    const now = earlierNow(media.context)
    const rows = await sql<
      { accountId: string; id: string; name: string; isLate: boolean; isThere: boolean }[]
    >`
      select account_id as "accountId", id, name,
        expires_at < ${now} - ${removalGrace}::interval
          or stored_at is null and created_at < ${now} - ${removalGrace}::interval as "isLate",
        stored_at is not null and removed_at is null and expires_at > ${now} as "isThere"
      from media_files where (account_id, id) > (${accountId}, ${id}) order by account_id, id limit ${batchSize}`
    const last = rows.at(-1)
    if (!last) return
    const served = rows.filter(({ isThere }) => isThere).map(({ name }) => name)
    const missing = await stillServed(media, await missingOf(media, served))
    const late = rows.filter(({ isLate }) => isLate)
    yield {
      found: served.length - missing.length,
      differences: [
        ...missing.map(name => ({ fault: 'a stored file is missing' as const, name })),
        ...late.map(({ name }) => ({ fault: 'a file is past its retention' as const, name })),
      ],
    }
    ;[accountId, id] = [last.accountId, last.id]
  }
}

/** Compares the files of earlier days: a row is written before its file, and deleted after it. */
async function* compareFiles(media: Media): AsyncGenerator<ReconciledMedia> {
  for (const kind of kinds) {
    let names: string[] = []
    for await (const name of requireStorage(media).list(folderOf(kind))) {
      const day = dayOf(name)
      if (day === undefined || day > media.context.clock.now() - 2 * dayMs) continue
      names.push(name)
      if (names.length < batchSize) continue
      yield unknownFiles(await withoutRow(media, names))
      names = []
    }
    yield unknownFiles(await withoutRow(media, names))
  }
}

function unknownFiles(names: readonly string[]): ReconciledMedia {
  return { found: 0, differences: names.map(name => ({ fault: 'a file has no row', name })) }
}

async function missingOf(media: Media, names: readonly string[]): Promise<string[]> {
  const storage = requireStorage(media)
  const missing: string[] = []
  for (let from = 0; from < names.length; from += checksAtOnce) {
    const some = names.slice(from, from + checksAtOnce)
    const found = await Promise.all(some.map(name => storage.has(name)))
    missing.push(...some.filter((_, index) => !found[index]))
  }
  return missing
}

/** Returns the names whose rows have not been removed while the storage was being read. */
async function stillServed({ context }: Media, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return []
  const rows = await context.sql<{ name: string }[]>`
    select name from media_files
    where name = any(${[...names]}) and stored_at is not null and removed_at is null
      and expires_at > ${earlierNow(context)}`
  return rows.map(({ name }) => name)
}

async function withoutRow({ context }: Media, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return []
  const rows = await context.sql<{ name: string }[]>`
    select name from media_files where name = any(${[...names]})`
  const known = new Set(rows.map(({ name }) => name))
  return names.filter(name => !known.has(name))
}
