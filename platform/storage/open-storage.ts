import type { Config } from '../config/read-config.ts'
import { openFolder } from './open-folder.ts'
import type { Storage } from './storage.ts'

/** Opens the storage of the settings: a bucket, or else a folder. Resolves to undefined if media is not stored. */
export async function openStorage(config: Config): Promise<Storage | undefined> {
  if (config.mediaBucket !== '') {
    const { openBucket } = await import('./open-bucket.ts') // the S3 client is large
    return openBucket(config)
  }
  return config.mediaFolder === 'none' ? undefined : openFolder(config.mediaFolder)
}
