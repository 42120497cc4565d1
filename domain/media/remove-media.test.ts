import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { dayMs } from '../../platform/clock.ts'
import { FileMissing } from '../../platform/storage/storage.ts'
import { aBucket, type TestBucket } from '../../test/harness/media/a-bucket.ts'
import { aMedia, type TestMedia } from '../../test/harness/media/a-media.ts'
import { aFile } from '../../test/harness/media/media-files.ts'
import { forThisTest } from '../../test/harness/per-file.ts'
import { findMedia } from './find-media.ts'
import { removeMedia } from './remove-media.ts'
import { storeMedia } from './store-media.ts'

let media: TestMedia
beforeEach(async () => {
  media = await aMedia()
})
afterEach(() => media.close())

let bucket: TestBucket | undefined
afterAll(() => bucket?.close())

const accountId = '0199aaaa-0000-7000-8000-000000000001'
/** Lets time pass, by every clock. */
const pass = (ms: number, { context: { sql } } = media) =>
  sql`
    update media_files set expires_at = expires_at - ${`${ms} ms`}::interval, created_at = created_at - ${`${ms} ms`}::interval`
const aResult = (of = media) =>
  storeMedia(of, { accountId, kind: 'result', source: aFile('png'), maxBytes: 2_000 })

test('a file is served for 14 days, and not after that or after its removal', async () => {
  const { name } = await aResult()
  await pass(14 * dayMs - 60_000)
  expect(await removeMedia(media)).toBe(0)
  expect(await findMedia(media, name)).toMatchObject({ name })
  await pass(120_000)
  await expect(findMedia(media, name)).rejects.toMatchObject({ errorName: 'media_expired' })
  expect(await removeMedia(media)).toBe(1)
  await expect(media.storage!.read(name)).rejects.toThrow(FileMissing)
  media.advance(15 * dayMs)
  await expect(findMedia(media, name)).rejects.toMatchObject({ errorName: 'media_expired' })
})

test('unknown files are not found, and no name leads outside of the storage', async () => {
  const today = new Date().toISOString().slice(0, 10)
  for (const name of [
    `results/${today}/AAAAAAAAAAAAAAAAAAAAAA.png`,
    'results/../x.png',
    '',
    `results/${today}/a.png`,
  ])
    await expect(findMedia(media, name), name).rejects.toMatchObject({ errorName: 'media_not_found' })
})

test('if Postgres does not respond, the state of a file is unavailable', async () => {
  const { name } = await aResult()
  await media.context.sql.end()
  await expect(findMedia(media, name)).rejects.toMatchObject({ errorName: 'unavailable' })
})

test('a file that a dead process wrote partially is never served, and is removed', async () => {
  const { name, id } = await aResult()
  await media.context.sql`update media_files set stored_at = null where id = ${id}`
  await expect(findMedia(media, name)).rejects.toMatchObject({ errorName: 'media_not_found' })
  expect(await removeMedia(media)).toBe(0)
  await pass(7 * 3_600_000)
  expect(await removeMedia(media)).toBe(1)
  await expect(media.storage!.read(name)).rejects.toThrow(FileMissing)
})

test('an interrupted removal is completed later, and its files are not served until then', async () => {
  const { name } = await aResult()
  await pass(15 * dayMs)
  const failing = {
    ...media,
    storage: { ...media.storage!, remove: () => Promise.reject(new Error('the disk is gone')) },
  }
  await expect(removeMedia(failing)).rejects.toThrow('the disk is gone')
  await expect(findMedia(media, name)).rejects.toMatchObject({ errorName: 'media_expired' })
  expect(await removeMedia(media)).toBe(1)
})

test('more than a batch is removed at once, by two concurrent workers and from a bucket', async () => {
  bucket = await aBucket()
  const inBucket = forThisTest(await aMedia(bucket.env))
  const { name } = await aResult(inBucket)
  const { sql } = inBucket.context
  await sql`
    insert into media_files (account_id, id, name, kind, content_type, bytes, created_at, stored_at, expires_at)
    select account_id, id || n, name || n, kind, content_type, bytes, created_at, stored_at, expires_at
    from media_files, generate_series(1, 600) n`
  await pass(15 * dayMs, inBucket)
  const counts = await Promise.all([removeMedia(inBucket), removeMedia(inBucket)])
  expect(counts[0]! + counts[1]!).toBeGreaterThanOrEqual(601)
  expect(await sql`select 1 from media_files`).toHaveLength(0)
  await expect(inBucket.storage!.read(name)).rejects.toThrow(FileMissing)
})
