import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { mintName } from '../../domain/media/media-name.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { systemIds } from '../../platform/ids.ts'
import '../../platform/storage/open-bucket.ts' // loading it takes longer than most checks
import { openStorage } from '../../platform/storage/open-storage.ts'
import { findingsOf, type Result } from './check.ts'

/**
 * Writes a small file, reads it and deletes it, in the bucket or folder of the settings. Throws the reason if one of these
 * fails. The file has the name of a stored input, so `npm run reconcile -- --repair` deletes it if the doctor is killed.
 */
export async function checkStorage(config: Config): Promise<Result> {
  const storage = await openStorage(config)
  if (!storage) return { skipped: 'MEDIA_FOLDER is none: no media is stored' }
  const name = mintName(systemIds, { kind: 'input', extension: 'txt', now: Date.now() })
  const content = Buffer.from('Written by npm run doctor, and deleted at once.')
  try {
    await storage.write(name, Readable.from([content]), { contentType: 'text/plain' })
    const found = await buffer(await storage.read(name))
    await storage.remove(name)
    const isLeft = await storage.has(name)
    const findings = findingsOf([
      [
        !found.equals(content),
        'a file that was just written has another content',
        'Check that the storage is not shared with another program.',
      ],
      [
        isLeft,
        'a deleted file still exists: expired media stays',
        'Allow the key to delete objects, and check the retention rules of the bucket.',
      ],
    ])
    const place = config.mediaBucket === '' ? `folder ${config.mediaFolder}` : `bucket ${config.mediaBucket}`
    return { findings, summary: `${place}: written, read and deleted` }
  } finally {
    storage.close()
  }
}
