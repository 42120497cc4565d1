import type { Config } from '../config/read-config.ts'
import { openFolder } from './open-folder.ts'
import type { Storage } from './storage.ts'

/** Opens the storage that the settings name: a bucket, else a folder; undefined where nothing is stored. */
export async function openStorage(config: Config): Promise<Storage | undefined> {
  if (config.mediaBucket !== '') {
    const { openBucket } = await import('./open-bucket.ts') // the client of S3 is large
    return openBucket(config)
  }
  return config.mediaFolder === 'none' ? undefined : openFolder(config.mediaFolder)
}
