import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { dayMs } from '../../platform/clock.ts'
import { aMedia } from '../../test/harness/media/a-media.ts'
import { aDataUri, aFile } from '../../test/harness/media/media-files.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { findMedia } from './find-media.ts'
import { hostInput, type Input } from './host-input.ts'
import { storeMedia } from './store-media.ts'

const media = perFile(() =>
  aMedia({
    UPLOAD_LIMIT_BYTES: '2000',
    ALLOW_LOOPBACK: 'false',
    MEDIA_URL: 'https://media.example.com',
    BASE_URL: 'https://api.example.com',
  }),
)

const accountId = '0199aaaa-0000-7000-8000-000000000001'
const input = (changes: Partial<Input>): Input => ({
  accountId,
  address: aDataUri('png'),
  param: 'image_urls[0]',
  accepts: 'image',
  ...changes,
})

test('an image in a request is stored, and its address returned', async () => {
  const address = await hostInput(media, input({}))
  const name = address.slice(media.context.config.mediaUrl.length + 1)
  expect(await findMedia(media, name)).toMatchObject({ kind: 'input', contentType: 'image/png' })
  expect((await buffer(await media.storage!.read(name))).equals(aFile('png'))).toBe(true)
})

test('a public address is kept unchanged, with its query', async () => {
  const address = 'https://images.example.com/a.png?signature=x%2Fy'
  expect(await hostInput(media, input({ address }))).toBe(address)
})

test.each([
  ['http://images.example.com/a.png', 'must begin with https://'],
  ['https://localhost/a.png', 'must be a public address'],
  ['https://10.0.0.1/a.png', 'must be a public address'],
  ['https://0x7f.1/a.png', 'must be a public address'],
  ['https://[::ffff:7f00:1]/a.png', 'must be a public address'],
  ['https://metadata.internal/a.png', 'must be a public address'],
  ['https://user:secret@example.com/a.png', 'must not carry credentials'],
  ['ftp://example.com/a.png', 'must begin with https://'],
  ['a picture of a cat', 'must be a public https:// address, or data:'],
  [`https://example.com/${'a'.repeat(9_000)}`, 'must have at most 8192 characters'],
  ['data:image/png,plain', 'must be data:TYPE;base64,CONTENT'],
  ['data:image/png;base64,', 'must have content'],
  [aDataUri('mp4'), 'must be an image: it has a type that is not accepted'],
  [
    `data:image/png;base64,${Buffer.from('<html>').toString('base64')}`,
    'must be an image: it has a type that is not accepted',
  ],
])('%.60s is refused: %s', async (address, rule) => {
  await expect(hostInput(media, input({ address }))).rejects.toMatchObject({
    errorName: 'invalid_request',
    message: `image_urls[0] ${rule}.`,
    details: { param: 'image_urls[0]' },
  })
})

test('an input that is too large is refused by its length, with a hint how to send it', async () => {
  const address = `data:image/png;base64,${'A'.repeat(10_000)}`
  await expect(hostInput(media, input({ address }))).rejects.toMatchObject({
    errorName: 'body_too_large',
    message: 'image_urls[0] must have at most 2000 bytes: send larger content to /v1/uploads.',
  })
})

/** Lets time pass, by every clock. */
const pass = (ms: number) =>
  media.context.sql`update media_files set expires_at = expires_at - ${`${ms} ms`}::interval`

test('each use extends the lifetime of an upload; expired uploads and those from other accounts are refused', async () => {
  const { url, name } = await storeMedia(media, {
    accountId,
    kind: 'upload',
    source: aFile('png'),
    maxBytes: 2_000,
  })
  await expect(
    hostInput(media, input({ address: url, accountId: media.context.ids.uuid() })),
  ).rejects.toThrow('image_urls[0] is no upload of this account, or it has expired.')
  await pass(13 * dayMs)
  expect(await hostInput(media, input({ address: url, prolongs: true }))).toBe(url)
  await pass(13 * dayMs)
  expect(await hostInput(media, input({ address: url }))).toBe(url)
  expect(await findMedia(media, name)).toMatchObject({ kind: 'upload' })
  await pass(2 * dayMs)
  await expect(hostInput(media, input({ address: url }))).rejects.toThrow('it has expired')
})

test('an upload of another account is refused in any notation of its address', async () => {
  const { url } = await storeMedia(media, {
    accountId,
    kind: 'upload',
    source: aFile('png'),
    maxBytes: 2_000,
  })
  for (const [part, spelling] of [
    ['/uploads', '//uploads'],
    ['uploads', '%75ploads'],
    ['uploads', '%2575ploads'],
    ['/uploads', '/x/../%2e%2e/media/../uploads'],
    ['/uploads', '\\uploads'],
    ['media.example.com', 'MEDIA.example.com.:443'],
    ['.png', '.png?x#y'],
    ['https://media.example.com', 'https://api.example.com/media'],
  ] as const) {
    const address = url.replace(part, spelling)
    expect(await hostInput(media, input({ address })), address).toBe(url)
    const foreign = hostInput(media, input({ address, accountId: media.context.ids.uuid() }))
    await expect(foreign, address).rejects.toThrow('no upload of this account')
  }
})

test('if media storage is disabled, inputs in a request are kept unchanged', async () => {
  const without = { ...media, storage: undefined }
  expect(await hostInput(without, input({}))).toBe(aDataUri('png'))
})
