import { buffer } from 'node:stream/consumers'
import { FileMissing } from '../../platform/storage/storage.ts'
import { Problem } from '../../schema/errors.ts'
import { findMedia } from './find-media.ts'
import { asUnavailable, type Media } from './media.ts'
import { ownNameOf } from './own-name.ts'

/**
 * The content of a file of ours by its address, read from the storage: who needs it need not ask the edge for it.
 * Undefined for every other address, for a file that is not served any more, and for one of more than `maxBytes`.
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
