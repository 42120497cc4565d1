import { readdirSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayMs } from '../../platform/clock.ts'
import { aBucket } from '../../test/harness/media/a-bucket.ts'
import { aMedia, type TestMedia } from '../../test/harness/media/a-media.ts'
import { aFile } from '../../test/harness/media/media-files.ts'
import { forThisTest, perFile } from '../../test/harness/per-file.ts'
import { MediaRefused } from './bound-source.ts'
import { findMedia } from './find-media.ts'
import { type NewMedia, storeMedia } from './store-media.ts'

const bucket = perFile(aBucket)

const accountId = '0199aaaa-0000-7000-8000-000000000001'
const file = (changes: Partial<NewMedia> = {}): NewMedia => ({
  accountId,
  kind: 'result',
  source: Readable.from([aFile('png')]),
  maxBytes: 1_000_000,
  ...changes,
})

test('a process whose clock is 75 days ahead stores files with normal expiry, and finds them', async () => {
  const media = forThisTest(await aMedia())
  media.advance(75 * dayMs)
  const { name, createdAt, expiresAt } = await storeMedia(media, file())
  expect(expiresAt.getTime() - createdAt.getTime()).toBe(media.context.config.mediaDays * dayMs)
  expect(expiresAt.getTime()).toBeLessThan(Date.now() + 75 * dayMs)
  expect(await findMedia(media, name)).toMatchObject({ name })
})

describe.each(['folder', 'bucket'])('in a %s', place => {
  let media: TestMedia
  beforeAll(async () => {
    media = await aMedia(place === 'bucket' ? bucket.env : {})
  })
  afterAll(() => media.close())

  test.each([
    ['png', 'image/png'],
    ['jpg', 'image/jpeg'],
    ['webp', 'image/webp'],
    ['gif', 'image/gif'],
    ['mp4', 'video/mp4'],
    ['wav', 'audio/wav'],
    ['mp3', 'audio/mpeg'],
  ] as const)('a %s is stored as %s, whatever its sender calls it', async (extension, contentType) => {
    const content = aFile(extension)
    const stored = await storeMedia(
      media,
      file({ source: Readable.from([content]), contentType: 'text/html' }),
    )
    expect(stored).toMatchObject({ contentType, bytes: content.length })
    expect(stored.name).toMatch(new RegExp(`^results/\\d{4}-\\d\\d-\\d\\d/[0-9A-Za-z]{22}\\.${extension}$`))
    expect(stored.url).toBe(`${media.context.config.mediaUrl}/${stored.name}`)
    expect(await findMedia(media, stored.name)).toMatchObject({ contentType, bytes: content.length })
    expect((await buffer(await media.storage!.read(stored.name))).equals(content)).toBe(true)
  })

  test.each([
    ['a page', 'not_media', file({ source: Buffer.from('<html><script>alert(1)</script>') })],
    ['an svg', 'not_media', file({ source: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') })],
    ['nothing', 'not_media', file({ source: Readable.from([]) })],
    [
      'a video for an image',
      'not_media',
      file({ source: aFile('mp4'), accepts: type => type === 'image/png' }),
    ],
    [
      'too much at once',
      'too_large',
      file({ source: Buffer.concat([aFile('png'), Buffer.alloc(1_000_000)]) }),
    ],
    ['too much as it comes', 'too_large', file({ source: endless(aFile('png')) })],
    ['too much by its own word', 'too_large', file({ bytes: 1_000_001 })],
    ['less than was said', 'cut_short', file({ bytes: 999_999 })],
    ['more than was said', 'cut_short', file({ source: endless(aFile('png')), bytes: 100_000 })],
  ] as const)('%s is refused, and nothing of it stays: %s', async (_, reason, refused) => {
    const before = await countRows(media)
    const error = await storeMedia(media, refused).catch(thrown => thrown)
    expect(error).toBeInstanceOf(MediaRefused)
    expect(error.reason).toBe(reason)
    expect(await countRows(media)).toEqual(before)
  })

  test('a source that breaks off reports its error, and nothing of it is kept', async () => {
    const before = await countRows(media)
    const source = Readable.from(
      (async function* () {
        yield Buffer.concat([aFile('png'), Buffer.alloc(100_000)])
        throw new Error('the vendor is gone')
      })(),
    )
    await expect(storeMedia(media, file({ source }))).rejects.toThrow('the vendor is gone')
    expect(await countRows(media)).toEqual(before)
  })
})

test('a storage that cannot be written is unavailable, and leaves no row that is served', async () => {
  const media = forThisTest(await aMedia({ MEDIA_FOLDER: join(import.meta.filename, 'no-folder') }))
  await expect(storeMedia(media, file())).rejects.toMatchObject({ errorName: 'unavailable' })
  const rows = await media.context.sql`
    select 1 from media_files where stored_at is not null or removed_at is null`
  expect(rows).toHaveLength(0)
})

test('audio samples without a signature are stored with the type that their sender states', async () => {
  const media = forThisTest(await aMedia())
  const samples = Buffer.alloc(10_000, 1)
  expect(
    await storeMedia(media, file({ source: samples, contentType: 'audio/pcm;rate=22000' })),
  ).toMatchObject({ contentType: 'audio/pcm' })
  await expect(storeMedia(media, file({ source: samples, contentType: 'text/html' }))).rejects.toThrow(
    MediaRefused,
  )
})

test('a large file is streamed to the storage without being held in memory', async () => {
  const media = forThisTest(await aMedia())
  const onDisk = () =>
    readdirSync(media.folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
  let max = 0
  const source = Readable.from(
    (function* () {
      yield aFile('mp4')
      for (let count = 0; count < 100; count++) {
        yield Buffer.alloc(1_048_576)
        if (count > 10) max = Math.max(max, count * 1_048_576 - onDisk())
      }
    })(),
    { objectMode: false },
  )
  const { bytes } = await storeMedia(media, file({ source, maxBytes: 1 << 30 }))
  expect(bytes).toBe(aFile('mp4').length + 100 * 1_048_576)
  expect(max).toBeLessThan(10_000_000)
})

test('every file in the folder has a row', async () => {
  const media = forThisTest(await aMedia())
  const { name } = await storeMedia(media, file())
  await storeMedia(media, file({ source: endless(aFile('png')) })).catch(() => {})
  const files = (await readdir(media.folder, { recursive: true, withFileTypes: true })).filter(entry =>
    entry.isFile(),
  )
  expect(files.map(entry => join(entry.parentPath, entry.name))).toEqual([join(media.folder, name)])
})

test('many results of own credentials at once are stored up to the allowance, by any number of processes', async () => {
  const length = aFile('png').length
  const media = forThisTest(await aMedia({ ALLOWANCES: `own_result_bytes=${5 * length}/${5 * length}` }))
  const store = (changes: Partial<NewMedia>) =>
    Promise.allSettled(
      Array.from({ length: 20 }, () => storeMedia(media, file({ source: aFile('png'), ...changes }))),
    )
  const ended = await store({ isOwn: true })
  expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  const [refused] = ended.filter(end => end.status === 'rejected')
  expect(refused?.reason).toMatchObject({
    errorName: 'allowance_exceeded',
    details: { param: 'own_result_bytes' },
  })
  expect(await countRows(media)).toEqual([{ kind: 'result', rows: 5 }])
  for (const { status } of await store({})) expect(status).toBe('fulfilled')
})

function endless(head: Buffer): Readable {
  return Readable.from(
    (function* () {
      yield head
      for (;;) yield Buffer.alloc(100_000)
    })(),
  )
}

async function countRows({ context }: TestMedia) {
  return [
    ...(await context.sql<{ kind: string; rows: number }[]>`
      select kind, count(*)::int as rows from media_files group by kind`),
  ]
}
