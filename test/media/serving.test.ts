import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { storeMedia } from '../../domain/media/store-media.ts'
import { aBucket } from '../harness/media/a-bucket.ts'
import { aMediaEdge, type MediaSystem } from '../harness/media/a-media-edge.ts'
import { aFile } from '../harness/media/media-files.ts'
import { perFile } from '../harness/per-file.ts'

const accountId = '0199aaaa-0000-7000-8000-000000000001'
const video = Buffer.concat([aFile('mp4'), randomBytes(3_000_000)])

const bucket = perFile(aBucket)

const store = ({ media }: MediaSystem, source: Buffer) =>
  storeMedia(media, { accountId, kind: 'result', source: Readable.from([source]), maxBytes: 1 << 30 })

describe.each(['folder', 'bucket'])('from a %s', place => {
  const system = perFile(() => aMediaEdge(place === 'bucket' ? bucket.env : {}))
  const stored = perFile(() => store(system, video))

  test('a file is served to whoever knows its name, as what it is, to be kept until it expires', async () => {
    const response = await fetch(stored.url)
    expect(response.status).toBe(200)
    expect(Buffer.from(await response.arrayBuffer()).equals(video)).toBe(true)
    const headers = Object.fromEntries(response.headers)
    expect(headers).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': String(video.length),
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/default-src 'none'.*sandbox/),
      'content-disposition': expect.stringMatching(/^inline; filename="[0-9A-Za-z]{22}\.mp4"$/),
      'cache-control': expect.stringMatching(/^public, max-age=1209\d{3}, immutable$/),
    })
  })

  test('samples of sound, which have no signature, are opaque bytes', async () => {
    const { url } = await storeMedia(system.media, {
      accountId,
      kind: 'result',
      source: Buffer.from('<html>'),
      contentType: 'audio/pcm',
      maxBytes: 100,
    })
    expect((await fetch(url)).headers.get('content-type')).toBe('application/octet-stream')
  })

  test.each([
    ['bytes=0-9', 206, 0, 10],
    ['bytes=2999990-', 206, 2_999_990, video.length],
    ['bytes=-5', 206, video.length - 5, video.length],
    ['bytes=1-2,4-5', 200, 0, video.length],
  ])('%s is answered %i', async (range, status, from, to) => {
    const response = await fetch(stored.url, { headers: { range } })
    expect(response.status).toBe(status)
    expect(Buffer.from(await response.arrayBuffer()).equals(video.subarray(from, to))).toBe(true)
    expect(response.headers.get('content-range')).toBe(
      status === 206 ? `bytes ${from}-${to - 1}/${video.length}` : null,
    )
  })

  test('a range beyond the end is 416, and says how long the file is', async () => {
    const response = await fetch(stored.url, { headers: { range: 'bytes=99999999-' } })
    expect(response.status).toBe(416)
    expect(response.headers.get('content-range')).toBe(`bytes */${video.length}`)
    expect(await response.json()).toMatchObject({ error: { code: 'range_not_satisfiable' } })
  })

  test('who has it already is told so', async () => {
    const first = await fetch(stored.url, { method: 'HEAD' })
    expect(await first.text()).toBe('')
    expect(first.headers.get('content-length')).toBe(String(video.length))
    const etag = first.headers.get('etag')!
    const again = await fetch(stored.url, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    expect(again.headers.get('cache-control')).toContain('immutable')
    const resumed = await fetch(stored.url, { headers: { range: 'bytes=5-9', 'if-range': etag } })
    expect(resumed.status).toBe(206)
  })

  test('a file that is gone from the storage is never a 200', async () => {
    const { url, name } = await store(system, aFile('png'))
    await system.media.storage!.remove(name)
    const response = await fetch(url)
    expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-store'])
  })
})
