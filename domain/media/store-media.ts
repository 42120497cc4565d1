import { Readable } from 'node:stream'
import type { Resource } from '../../schema/allowances.ts'
import { spend } from '../allowances/spend.ts'
import { standingOf } from '../allowances/standing.ts'
import { boundSource, MediaRefused } from './bound-source.ts'
import { asUnavailable, expiryFrom, type Media, mediaUrlOf, requireStorage, storedNow } from './media.ts'
import { type MediaKind, mintName } from './media-name.ts'
import { type MediaType, sniff, sniffedBytes } from './sniff.ts'

/** A file to store, with its owner. */
export interface NewMedia {
  accountId: string
  kind: MediaKind
  /** Whether a vendor made the file with the account's own credential. */
  isOwn?: boolean | undefined
  source: Readable | Buffer
  /** The maximum size, in bytes. */
  maxBytes: number
  /** The exact size in bytes, if the sender declared it. */
  bytes?: number | undefined
  /** The type that the sender declared. Used only for audio samples without a signature. */
  contentType?: string | undefined
  /** Whether a type such as `image/png` is accepted. By default, every type that is stored is. */
  accepts?: ((contentType: string) => boolean) | undefined
  taskId?: string | undefined
  requestId?: string | undefined
}

export interface StoredMedia {
  /** `upload_…` or `media_…`. */
  id: string
  name: string
  url: string
  contentType: string
  bytes: number
  createdAt: Date
  expiresAt: Date
}

/**
 * Stores a file as a stream: adds its row, writes the object, then marks the row as complete. The source is read to its
 * end or destroyed. An upload or input counts in the account's allowances even if storing fails; a result of an own
 * credential counts when it is complete. Throws MediaRefused if the content is not media or has a wrong size, the error
 * of the source, `allowance_exceeded`, and `unavailable` if the storage or Postgres fails. After an error, the file is
 * not served.
 */
export async function storeMedia(media: Media, file: NewMedia): Promise<StoredMedia> {
  requireStorage(media)
  const exactBytes = Buffer.isBuffer(file.source) ? file.source.length : file.bytes
  if (exactBytes !== undefined && exactBytes > file.maxBytes) {
    if (!Buffer.isBuffer(file.source)) file.source.destroy()
    throw new MediaRefused('too_large', `has more than ${file.maxBytes} bytes`)
  }
  const source = Buffer.isBuffer(file.source) ? Readable.from([file.source]) : file.source
  const bound = await boundSource(source, { headBytes: sniffedBytes, maxBytes: file.maxBytes, exactBytes })
  const type = await sniff(bound.head, file.contentType)
  if (!type || file.accepts?.(type.contentType) === false) {
    source.destroy()
    throw new MediaRefused('not_media', 'has a type that is not accepted')
  }
  const stored = await begin(media, { ...file, bytes: exactBytes }, type).catch(error => {
    source.destroy()
    throw asUnavailable(error)
  })
  try {
    await requireStorage(media).write(stored.name, bound.body, type)
    const bytes = bound.bytes()
    await countBytes(media, { ...file, knownBytes: exactBytes, bytes })
    await markStored(media, file.accountId, { ...stored, bytes })
    return { ...stored, bytes }
  } catch (error) {
    source.destroy()
    await discardMedia(media, { accountId: file.accountId, ...stored })
    throw bound.failure() ?? asUnavailable(error)
  }
}

/**
 * Deletes a file whose URL was not returned. Never throws: a file that cannot be deleted expires, or is removed as
 * incomplete.
 */
export async function discardMedia(
  media: Media,
  { accountId, id, name }: { accountId: string; id: string; name: string },
): Promise<void> {
  const { sql, log } = media.context
  try {
    await sql`
      update media_files set removed_at = now() where account_id = ${accountId} and id = ${id}`
    await media.storage?.remove(name)
    await sql`delete from media_files where account_id = ${accountId} and id = ${id}`
  } catch (error) {
    log.warn({ err: error, name }, 'a discarded file could not be deleted yet')
  }
}

/** Counts a file of an account, with its size if that is known, and adds the row of the file before it is written. */
async function begin(media: Media, file: NewMedia, type: MediaType): Promise<StoredMedia> {
  if (file.kind !== 'result') {
    await count(media, file.accountId, 'input_files', 1)
    if (file.bytes !== undefined) await count(media, file.accountId, 'input_bytes', file.bytes)
  }
  return addRow(media, file, type)
}

/** Counts the bytes of a file that was written, unless they were counted before. */
async function countBytes(
  media: Media,
  file: Pick<NewMedia, 'accountId' | 'kind' | 'isOwn'> & { knownBytes: number | undefined; bytes: number },
): Promise<void> {
  const { accountId, kind, isOwn = false, knownBytes, bytes } = file
  if (kind === 'result' && isOwn) await count(media, accountId, 'own_result_bytes', bytes)
  if (kind !== 'result' && knownBytes === undefined) await count(media, accountId, 'input_bytes', bytes)
}

async function count(
  { context }: Media,
  accountId: string,
  resource: Resource,
  amount: number,
): Promise<void> {
  const { allowances } = context
  await spend(allowances, await standingOf(allowances, accountId), { resource, amount })
}

async function addRow(media: Media, file: NewMedia, type: MediaType): Promise<StoredMedia> {
  const { sql, ids } = media.context
  const { accountId, kind, taskId = null, requestId = null } = file
  const id = ids.tagged(kind === 'upload' ? 'upload_' : 'media_')
  const createdAt = await storedNow(media)
  const name = mintName(ids, { kind, extension: type.extension, now: createdAt.getTime() })
  const expiresAt = expiryFrom(media, createdAt)
  const { contentType } = type
  await sql`
    insert into media_files (account_id, id, name, kind, content_type, bytes, task_id, request_id, created_at, expires_at)
    values (${accountId}, ${id}, ${name}, ${kind}, ${contentType}, 0, ${taskId}, ${requestId}, ${createdAt}, ${expiresAt})`
  return { id, name, url: mediaUrlOf(media, name), contentType, bytes: 0, createdAt, expiresAt }
}

async function markStored({ context }: Media, accountId: string, { id, bytes }: StoredMedia): Promise<void> {
  const stored = await context.sql`
    update media_files set bytes = ${bytes}, stored_at = clock_timestamp()
    where account_id = ${accountId} and id = ${id} and removed_at is null`
  if (stored.count === 0) throw new Error('the file took so long that its row was removed')
}
