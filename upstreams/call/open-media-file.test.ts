import { PassThrough, Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { aConfig } from '../../test/harness/a-context.ts'
import { aVendor as startVendor, type TestVendor } from '../../test/harness/a-vendor.ts'
import { Cancellation } from '../http/cancellation.ts'
import type { MediaFile } from '../media-adapter.ts'
import type { Target } from '../targets.ts'
import { openMediaFile } from './open-media-file.ts'
import { openUpstreams } from './open-upstreams.ts'

type Upstreams = ReturnType<typeof openUpstreams>
let strict: Upstreams
let lenient: Upstreams

beforeAll(() => {
  const settings = { DATABASE_URL: 'postgres://localhost/none' }
  strict = openUpstreams(aConfig({ ...settings, ALLOW_LOOPBACK: 'false' }))
  lenient = openUpstreams(aConfig({ ...settings, ALLOW_LOOPBACK: 'true' }))
})
afterAll(() => Promise.all([strict.close(), lenient.close()]))

const key = { header: 'authorization', scheme: 'Bearer' }

async function aVendor(answer: Parameters<typeof startVendor>[0]): Promise<TestVendor> {
  const vendor = await startVendor(answer)
  onTestFinished(vendor.close)
  return vendor
}

function aTarget(baseUrl: string, more: Partial<Target> = {}): Target {
  return { vendor: 'vendor_k', baseUrl, apiKey: 'secret-key-of-ours', ...more }
}

interface Opening {
  file: MediaFile
  target?: Target
  maxBytes?: number
  cancellation?: Cancellation
}

function open(
  upstreams: Upstreams,
  {
    file,
    target = aTarget('https://vendor.example'),
    maxBytes = 1_000,
    cancellation = new Cancellation(),
  }: Opening,
) {
  return openMediaFile(upstreams, { target, file, maxBytes, cancellation })
}

test('a file at the vendor is fetched with its credential, wherever the operator has that vendor', async () => {
  const vendor = await aVendor(response => {
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 4 })
    response.end('film')
  })
  const file = { path: '/videos/1/content?x=1', key }
  const { body, contentType, bytes } = await open(strict, { file, target: aTarget(`${vendor.url}/v1`) })
  expect([await text(body), contentType, bytes]).toEqual(['film', 'video/mp4', 4])
  expect(vendor.calls).toMatchObject([{ path: '/videos/1/content?x=1', key: 'secret-key-of-ours' }])
})

test('a redirect is followed without the credential, and to public addresses alone', async () => {
  const store = await aVendor(response => response.end('film'))
  const vendor = await aVendor(response => response.writeHead(302, { location: `${store.url}/f` }).end())
  const opening = { file: { path: '/content', key }, target: aTarget(vendor.url) }
  expect(await text((await open(lenient, opening)).body)).toBe('film')
  expect(store.calls).toMatchObject([{ path: '/f', key: '' }])
  await expect(open(strict, opening)).rejects.toMatchObject({
    kind: 'broken',
    message: 'the address does not lead to a public one, over TLS',
  })
  expect(store.calls).toHaveLength(1)
})

test("a customer's own vendor, and any address that a vendor names, must be public", async () => {
  const vendor = await aVendor(response => response.end('film'))
  const own = aTarget(vendor.url, { byokId: 'b1' })
  await expect(open(strict, { file: { path: '/content', key }, target: own })).rejects.toMatchObject({
    details: { byokId: 'b1' },
  })
  for (const url of [vendor.url, 'https://10.0.0.1/f', 'https://[::1]/f', 'http://169.254.169.254/latest'])
    await expect(open(strict, { file: { url } })).rejects.toMatchObject({ kind: 'broken' })
  await expect(open(strict, { file: { url: 'file:///etc/passwd' } })).rejects.toMatchObject({
    kind: 'broken',
  })
  expect(vendor.calls).toEqual([])
})

test('redirects end after the third', async () => {
  const vendor = await aVendor((response, { path }) =>
    response.writeHead(302, { location: `${path}x` }).end(),
  )
  await expect(open(lenient, { file: { url: `${vendor.url}/f` } })).rejects.toMatchObject({
    message: 'the file was redirected too often',
  })
  expect(vendor.calls.map(({ path }) => path)).toEqual(['/f', '/fx', '/fxx', '/fxxx'])
})

test('a file that is too long fails, whether its length was told or not', async () => {
  const told = await aVendor(response =>
    response.writeHead(200, { 'content-length': 2_000 }).end('x'.repeat(2_000)),
  )
  await expect(open(lenient, { file: { url: told.url } })).rejects.toMatchObject({ kind: 'broken' })
  const untold = await aVendor(response => {
    response.write('x'.repeat(600))
    response.end('x'.repeat(600))
  })
  const { body, bytes } = await open(lenient, { file: { url: untold.url } })
  expect(bytes).toBeUndefined()
  await expect(buffer(body)).rejects.toMatchObject({ kind: 'broken' })
})

test('a file that is refused, cut or stalls fails by what it shows of the vendor', async () => {
  const kindOf = async (answer: Parameters<typeof startVendor>[0]) => {
    const vendor = await aVendor(answer)
    const failure = await open(lenient, { file: { url: vendor.url } }).then(
      ({ body }) => buffer(body).catch((error: unknown) => error),
      (error: unknown) => error,
    )
    return Reflect.get(Object(failure), 'kind')
  }
  expect(await kindOf(response => response.writeHead(404).end())).toBe('auth')
  expect(await kindOf(response => response.writeHead(400).end())).toBe('broken')
  expect(await kindOf(response => response.writeHead(503).end())).toBe('busy')
  const cut = await kindOf(response => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('x', () => response.destroy())
  })
  expect(cut).toBe('broken')
})

test('a reader that stops, or a cancellation, closes the connection', async () => {
  let closed = 0
  const vendor = await aVendor(response => {
    response.on('close', () => closed++)
    response.write('x')
  })
  const { body } = await open(lenient, { file: { url: vendor.url } })
  body.destroy()
  await expect.poll(() => closed).toBe(1)
  const cancellation = new Cancellation()
  const second = await open(lenient, { file: { url: vendor.url }, cancellation })
  setTimeout(() => cancellation.cancel(), 10)
  await expect(buffer(second.body)).rejects.toMatchObject({ kind: 'aborted' })
  await expect.poll(() => closed).toBe(2)
})

test('a large file passes through little memory', async () => {
  const piece = Buffer.alloc(1 << 20)
  const vendor = await aVendor(response => {
    const source = Readable.from(
      (function* () {
        for (let sent = 0; sent < 200; sent++) yield piece
      })(),
    )
    source.pipe(response)
  })
  const { body } = await open(lenient, { file: { url: vendor.url }, maxBytes: 1 << 30 })
  await sleep(200)
  expect(body.readableLength).toBeLessThan(2 << 20) // the vendor waits for the reader
  let bytes = 0
  for await (const chunk of body) bytes += chunk.length
  expect(bytes).toBe(200 << 20)
})

test('what came in the answer itself is passed on', async () => {
  const whole = await open(strict, { file: { content: Buffer.from('png'), contentType: 'image/png' } })
  expect([await text(whole.body), whole.contentType, whole.bytes]).toEqual(['png', 'image/png', 3])
  await expect(open(strict, { file: { content: Buffer.alloc(2_000) } })).rejects.toMatchObject({
    kind: 'broken',
  })
  const content = new PassThrough()
  content.end('sound')
  expect(await text((await open(strict, { file: { content } })).body)).toBe('sound')
})
