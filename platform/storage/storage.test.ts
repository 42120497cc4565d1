import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { aConfig } from '../../test/harness/a-context.ts'
import { aBucket } from '../../test/harness/media/a-bucket.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { openStorage } from './open-storage.ts'
import { FileMissing, type Storage } from './storage.ts'

const bucket = perFile(aBucket)

const png = { contentType: 'image/png' }
const content = randomBytes(3_000_000)
const aName = () => `results/2026-11-22/${randomBytes(11).toString('hex')}.png`
const inPieces = (of = content) => Readable.from([of.subarray(0, 70_001), of.subarray(70_001)])

describe.each(['folder', 'bucket'])('a %s', place => {
  async function aStorage(): Promise<Storage> {
    const storage = await openStorage(aConfig(place === 'bucket' ? bucket.env : {}))
    onTestFinished(() => storage!.close())
    return storage!
  }

  test('gives back what was written, whole and in parts', async () => {
    const storage = await aStorage()
    const name = aName()
    await storage.write(name, inPieces(), png)
    expect((await buffer(await storage.read(name))).equals(content)).toBe(true)
    expect(await buffer(await storage.read(name, { first: 70_000, last: 70_002 }))).toEqual(
      content.subarray(70_000, 70_003),
    )
  })

  test('what was removed, or never there, is missing; removing it again is no error', async () => {
    const storage = await aStorage()
    const name = aName()
    await storage.write(name, inPieces(), png)
    await storage.remove(name)
    await storage.remove(name)
    await expect(storage.read(name)).rejects.toThrow(FileMissing)
  })

  test('a source that fails fails the write', async () => {
    const storage = await aStorage()
    const name = aName()
    const source = Readable.from(
      (async function* () {
        yield content.subarray(0, 100_000)
        throw new Error('the vendor broke off')
      })(),
    )
    await expect(storage.write(name, source, png)).rejects.toThrow(
      expect.objectContaining({ message: expect.stringMatching(/broke off|Cannot write/) }),
    )
    if (place === 'bucket') await expect(storage.read(name)).rejects.toThrow(FileMissing)
  })

  test('a name leads to no other folder', async () => {
    const storage = await aStorage()
    for (const name of ['../outside.png', 'results/../../outside.png'])
      await expect(storage.write(name, inPieces(), png)).rejects.toThrow()
  })

  test('neither expires files by itself, and that is no error', async () => {
    expect(await (await aStorage()).expireAfter(15, ['results/'])).toBe(false)
  })
})

test('a bucket that knows rules gets ours beside those of its operator, once', async () => {
  const service = await aServiceWithRules([
    { id: 'operators', prefix: 'logs/', days: 3 },
    { id: 'rubicon-results', prefix: 'results/', days: 99 },
  ])
  const storage = await openStorage(
    aConfig({ ...bucket.env, MEDIA_S3_BUCKET: 'media', MEDIA_S3_ENDPOINT: service.url }),
  )
  onTestFinished(() => storage!.close())
  expect(await storage!.expireAfter(15, ['results/', 'inputs/'])).toBe(true)
  expect(service.rules()).toEqual([
    ['operators', 'logs/', '3'],
    ['rubicon-results', 'results/', '15'],
    ['rubicon-inputs', 'inputs/', '15'],
  ])
  expect(await storage!.expireAfter(15, ['results/', 'inputs/'])).toBe(true)
  expect(service.puts()).toBe(1)
})

test('MEDIA_FOLDER=none stores nothing', async () => {
  expect(await openStorage(aConfig({ MEDIA_FOLDER: 'none' }))).toBeUndefined()
})

/** What S3 says of a bucket's lifecycle rules, and takes. */
async function aServiceWithRules(given: { id: string; prefix: string; days: number }[]) {
  const rule = ({ id, prefix, days }: (typeof given)[number]) =>
    `<Rule><ID>${id}</ID><Status>Enabled</Status><Filter><Prefix>${prefix}</Prefix></Filter><Expiration><Days>${days}</Days></Expiration></Rule>`
  let [document, puts] = [`<LifecycleConfiguration>${given.map(rule).join('')}</LifecycleConfiguration>`, 0]
  const server = createServer(async (request, response) => {
    if (!new URL(request.url ?? '', 'http://x').searchParams.has('lifecycle'))
      return response.writeHead(400).end()
    const body = (await buffer(request)).toString()
    if (request.method === 'PUT') {
      document = body
      puts += 1
    }
    response
      .writeHead(200, { 'content-type': 'application/xml' })
      .end(request.method === 'GET' ? document : '')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    puts: () => puts,
    rules: () =>
      [...document.matchAll(/<Rule>(.*?)<\/Rule>/gs)].map(([, text = '']) =>
        ['ID', 'Prefix', 'Days'].map(name => new RegExp(`<${name}>(.*?)</${name}>`).exec(text)?.[1]),
      ),
  }
}
