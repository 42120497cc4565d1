import { dayMs } from '../../platform/clock.ts'
import { GroupCommit } from '../../platform/group-commit.ts'
import { openStorage } from '../../platform/storage/open-storage.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { type MediaRow, readMediaRows } from './media-rows.ts'

/** The context of operations on stored files. */
export interface Media {
  context: Pick<Context, 'allowances' | 'config' | 'sql' | 'clock' | 'ids' | 'log'>
  /** The storage; undefined if storing is disabled in the settings. */
  storage: Storage | undefined
  /** Looks up files, one statement at a time, so that strangers who request many files occupy only one connection. */
  rows: GroupCommit<string, MediaRow | undefined>
}

/** Opens the storage that the settings select. Does not connect yet. */
export async function openMedia(context: Media['context']): Promise<Media> {
  const rows = new GroupCommit((names: string[]) => readMediaRows(context.sql, names))
  return { context, storage: await openStorage(context.config), rows }
}

export function closeMedia(media: Media): void {
  media.storage?.close()
}

/** Returns the storage. Throws `media_not_stored` if there is none. */
export function requireStorage({ storage }: Media): Storage {
  if (!storage) throw new Problem('media_not_stored')
  return storage
}

/** Returns the URL under which a file is served. */
export function mediaUrlOf({ context }: Media, name: string): string {
  return `${context.config.mediaUrl}/${name}`
}

/** Returns when a file expires that is stored or used at `now`, by the clock of Postgres. */
export function expiryFrom({ context }: Media, now: Date): Date {
  return new Date(now.getTime() + context.config.mediaDays * dayMs)
}

/** Returns the time of Postgres: a process whose clock is wrong stores no file that has expired, or never expires. */
export async function storedNow({ context }: Media): Promise<Date> {
  const [row] = await context.sql<{ now: Date }[]>`select clock_timestamp() as now`
  return row!.now
}

/** Returns the largest result that is stored, in bytes. `isOwn` says whether the account's own credential made it. */
export function maxResultBytes({ context }: Media, isOwn: boolean): number {
  const { resultLimitBytes, ownResultLimitBytes } = context.config
  return isOwn ? Math.min(resultLimitBytes, ownResultLimitBytes) : resultLimitBytes
}

/** Returns the error that clients get if the storage or Postgres fails. */
export function asUnavailable(cause: unknown): Problem {
  return cause instanceof Problem ? cause : new Problem('unavailable', { retryAfterSeconds: 5, cause })
}
