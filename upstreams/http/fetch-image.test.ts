import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { Agent } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UpstreamFailure } from '../upstream-failure.ts'
import { Cancellation } from './cancellation.ts'
import { fetchImage, sniffImage } from './fetch-image.ts'
import { guardedConnector } from './guard-address.ts'

const png = Buffer.from('89504e470d0a1a0a0000', 'hex')
let server: Server
let base: string

const answers: Record<string, RequestListener> = {
  '/png': (_, response) => response.setHeader('content-type', 'text/html').end(png),
  '/moved': (_, response) => response.writeHead(302, { location: '/png' }).end(),
  '/round': (_, response) => response.writeHead(302, { location: '/round' }).end(),
  '/inside': (_, response) => response.writeHead(302, { location: 'https://10.0.0.1/png' }).end(),
  '/file': (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/text': (_, response) => response.end('<svg/>'),
  '/gone': (_, response) => response.writeHead(404).end('gone'),
  '/large': (_, response) => response.end(Buffer.alloc(3_000_000, png)),
  '/endless': () => {},
  '/broken': (request, response) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write(png)
    setTimeout(() => request.socket.destroy(), 10)
  },
}

beforeAll(async () => {
  server = createServer((request, response) => answers[request.url ?? '']?.(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  base = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const dispatcherOf = (allowLoopback: boolean) =>
  new Agent({ connect: guardedConnector({ allowLoopback, timeoutMs: 2_000, maxResponseBytes: 1 << 26 }) })
const open = dispatcherOf(true)

function get(
  url: string,
  { dispatcher = open, cancellation = new Cancellation(), leftBytes = 1 << 20 } = {},
) {
  const abort = new AbortController()
  cancellation.onCancel(() => abort.abort())
  return fetchImage(dispatcher, url, {
    param: 'p',
    budget: { leftBytes },
    cancellation,
    signal: abort.signal,
  })
}

const refusal = (reason: string) =>
  expect.objectContaining({
    errorName: 'invalid_request',
    message: `The image could not be fetched: ${reason}.`,
    details: expect.objectContaining({ param: 'p' }),
  })

describe('an image by its address', () => {
  it('is what its bytes are, whatever the server calls it, also behind a redirect', async () => {
    const expected = { mimeType: 'image/png', data: png.toString('base64') }
    expect(await get(`${base}/png`)).toEqual(expected)
    expect(await get(`${base}/moved`)).toEqual(expected)
  })

  it.each([
    ['/round', 'it was redirected too often'],
    ['/inside', 'its address is not a public one, over TLS'],
    ['/file', 'its address is not https://'],
    ['/text', 'it is not an image'],
    ['/gone', 'its server answered 404'],
    ['/large', 'it is too large'],
    ['/broken', 'its server could not be reached'],
  ])('%s is refused', async (path, reason) => {
    await expect(get(base + path)).rejects.toEqual(refusal(reason))
  })

  it.each(['http://127.0.0.1:1/x', 'https://127.1/x', 'https://[::1]/x', 'http://8.8.8.8/x'])(
    '%s is not contacted where loopback is not allowed',
    async url => {
      const closed = dispatcherOf(false)
      await expect(get(url, { dispatcher: closed })).rejects.toEqual(
        refusal('its address is not a public one, over TLS'),
      )
    },
  )

  it('counts all images of a request together', async () => {
    const budget = { leftBytes: png.length + 3 }
    const options = {
      param: 'p',
      budget,
      cancellation: new Cancellation(),
      signal: new AbortController().signal,
    }
    await fetchImage(open, `${base}/png`, options)
    await expect(fetchImage(open, `${base}/png`, options)).rejects.toEqual(refusal('it is too large'))
  })

  it('is given up when the client leaves', async () => {
    const cancellation = new Cancellation()
    const fetched = get(`${base}/endless`, { cancellation })
    setTimeout(() => cancellation.cancel(), 20)
    await expect(fetched).rejects.toEqual(expect.objectContaining({ kind: 'aborted' }))
    await expect(fetched).rejects.toBeInstanceOf(UpstreamFailure)
  })
})

it.each([
  ['ffd8ffe0', 'image/jpeg'],
  [Buffer.from('GIF89a').toString('hex'), 'image/gif'],
  [Buffer.from('RIFF0000WEBP').toString('hex'), 'image/webp'],
  [Buffer.from('0000ftypheic').toString('hex'), 'image/heic'],
  [Buffer.from('0000ftypmif1').toString('hex'), 'image/heif'],
  ['', undefined],
  [Buffer.from('GIF').toString('hex'), undefined],
])('sniffImage: %s is %s', (hex, expected) => expect(sniffImage(Buffer.from(hex, 'hex'))).toBe(expected))
