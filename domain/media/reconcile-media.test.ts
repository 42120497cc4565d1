import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { FileMissing } from '../../platform/storage/storage.ts'
import { aBucket } from '../../test/harness/media/a-bucket.ts'
import { aMedia, type TestMedia } from '../../test/harness/media/a-media.ts'
import { aFile } from '../../test/harness/media/media-files.ts'
import { forThisTest, perFile } from '../../test/harness/per-file.ts'
import { findMedia } from './find-media.ts'
import { type MediaDifference, reconcileMedia, repairMedia } from './reconcile-media.ts'
import { removeMedia } from './remove-media.ts'
import { storeMedia } from './store-media.ts'

const bucket = perFile(aBucket)

const accountId = '0199aaaa-0000-7000-8000-000000000001'

async function compare(media: TestMedia) {
  const differences: MediaDifference[] = []
  let found = 0
  for await (const part of reconcileMedia(media)) {
    differences.push(...part.differences)
    found += part.found
  }
  return { differences, found }
}

describe.each(['folder', 'bucket'])('in a %s', place => {
  test('missing files, files without a row and late files are found and repaired; nothing else changes', async () => {
    const media = forThisTest(await aMedia(place === 'bucket' ? bucket.env : {}))
    const { sql } = media.context
    const store = () =>
      storeMedia(media, { accountId, kind: 'result', source: aFile('png'), maxBytes: 2_000 })
    const [kept, missing, late, unfinished] = [await store(), await store(), await store(), await store()]
    expect(await compare(media)).toEqual({ differences: [], found: 4 })
    await media.storage!.remove(missing.name)
    await sql`update media_files set expires_at = now() - interval '25 hours' where name = ${late.name}`
    await sql`
      update media_files set stored_at = null, created_at = now() - interval '25 hours' where name = ${unfinished.name}`
    const unknown = `uploads/2026-01-02/${'A'.repeat(22)}.png`
    const fresh = `uploads/${new Date().toISOString().slice(0, 10)}/${'A'.repeat(22)}.png`
    for (const name of [unknown, fresh])
      await media.storage!.write(name, Readable.from([aFile('png')]), { contentType: 'image/png' })
    const { differences, found } = await compare(media)
    expect(found).toBe(1)
    const expected = [
      { fault: 'a stored file is missing', name: missing.name },
      { fault: 'a file is past its retention', name: late.name },
      { fault: 'a file is past its retention', name: unfinished.name },
      { fault: 'a file has no row', name: unknown },
    ]
    expect(differences).toHaveLength(expected.length)
    expect(differences).toEqual(expect.arrayContaining(expected))
    for (let turn = 0; turn < 2; turn++) {
      await repairMedia(media, differences)
      await removeMedia(media)
    }
    expect(await compare(media)).toEqual({ differences: [], found: 1 })
    expect(await findMedia(media, kept.name)).toMatchObject({ name: kept.name })
    for (const name of [unknown, late.name])
      await expect(media.storage!.read(name)).rejects.toThrow(FileMissing)
    expect(await media.storage!.has(fresh)).toBe(true)
  })

  test('a file that reappears or gets a row before its repair is kept', async () => {
    const media = forThisTest(await aMedia(place === 'bucket' ? bucket.env : {}))
    const { name } = await storeMedia(media, {
      accountId,
      kind: 'result',
      source: aFile('png'),
      maxBytes: 2_000,
    })
    await repairMedia(media, [
      { fault: 'a stored file is missing', name },
      { fault: 'a file has no row', name },
    ])
    expect(await compare(media)).toMatchObject({ found: 1 })
  })
})
