import { buffer } from 'node:stream/consumers'
import { FileMissing } from '../../platform/storage/storage.ts'
import { Problem } from '../../schema/errors.ts'
import { findMedia } from './find-media.ts'
import { asUnavailable, type Media } from './media.ts'
import { ownNameOf } from './own-name.ts'

/**
 * Reads a stored file by its URL directly from the storage, without a request to an edge. Returns undefined for any
 * other URL, for a file that is no longer served, and for a file of more than `maxBytes`.
 */
export async function readOwnMedia(
  media: Media,
  address: string,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const ownName = media.storage && ownNameOf(media.context.config, address)
  if (!media.storage || ownName === undefined) return undefined
  try {
    const { name, bytes } = await findMedia(media, ownName)
    return bytes > maxBytes ? undefined : await buffer(await media.storage.read(name))
  } catch (error) {
    if (error instanceof FileMissing || (error instanceof Problem && error.status < 500)) return undefined
    throw asUnavailable(error)
  }
}
