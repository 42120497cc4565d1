import { mkdtempSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { writeFiles } from '../../console/build/files.ts'
import { aControlPlane } from '../../test/harness/a-control-plane.ts'
import { perFile } from '../../test/harness/per-file.ts'

const folder = join(mkdtempSync(join(tmpdir(), 'console-')), 'built')
const index = '<!doctype html><title>Rubicon</title>'
const script = `console.log("${'x'.repeat(2000)}")`
await writeFiles(
  folder,
  new Map([
    ['index.html', index],
    ['assets/main-Ab1.js', script],
    ['icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ]),
)

const control = perFile(() =>
  aControlPlane({ MEDIA_URL: 'https://media.example.com/m' }, { consoleFolders: ['/nowhere', folder] }),
)
const browser = { accept: 'text/html,application/xhtml+xml' }
const open = (path: string, headers: Record<string, string> = browser, method = 'GET') =>
  fetch(control.url + path, { headers, method, redirect: 'manual' })

test('a browser that opens / is led to the console; other clients are not', async () => {
  const led = await open('/')
  expect([led.status, led.headers.get('location'), led.headers.get('vary')]).toEqual([
    302,
    '/console',
    'accept',
  ])
  expect((await open('/', { accept: '*/*' })).status).toBe(404)
})

test('a browser that returns from Checkout is led to the billing page of the console', async () => {
  const led = await open('/api/v1/billing/topup/done?top_up=pay_1')
  expect([led.status, led.headers.get('location')]).toEqual([302, '/console/billing?top_up=pay_1'])
  expect((await open('/api/v1/billing/topup/done', { accept: '*/*' })).status).toBe(200)
})

test('every address below /console is the page, which browsers check on each visit', async () => {
  for (const path of [
    '/console',
    '/console/',
    '/console/keys?state=active',
    '/console/requests/req_1',
    '/console/index.html',
  ]) {
    const page = await open(path)
    expect([page.status, await page.text()], path).toEqual([200, index])
    expect(page.headers.get('cache-control')).toBe('no-cache')
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  }
  const etag = (await open('/console')).headers.get('etag') ?? ''
  const again = await raw('/console', { 'if-none-match': etag })
  expect([again.status, again.body.length]).toEqual([304, 0])
})

test('the policy allows the own scripts, styles and requests, the media host, and nothing inline', async () => {
  const policy = (await open('/console')).headers.get('content-security-policy') ?? ''
  expect(policy.split('; ')).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data: https://media.example.com",
      "require-trusted-types-for 'script'",
      "frame-ancestors 'none'",
    ]),
  )
  expect(policy).not.toMatch(/unsafe|\*/)
})

test('a hashed file is immutable, and sent as the client can read it', async () => {
  const path = '/console/assets/main-Ab1.js'
  const unpack: Record<string, (body: Buffer) => Buffer> = {
    br: brotliDecompressSync,
    gzip: gunzipSync,
    identity: body => body,
  }
  for (const [encoding, decompress] of Object.entries(unpack)) {
    const { headers, body } = await raw(path, { 'accept-encoding': encoding })
    expect([headers['content-encoding'] ?? 'identity', String(decompress(body))]).toEqual([encoding, script])
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(headers.vary).toBe('accept-encoding')
  }
  const head = await raw(path, { 'accept-encoding': 'br' }, 'HEAD')
  expect([head.body.length, Number(head.headers['content-length']) > 0]).toEqual([0, true])
})

test.each([
  '/console/assets/missing.js',
  '/console/assets/../files.json',
  '/console/assets/%2e%2e/files.json',
  '/console/assets/main-Ab1.js.br',
  '/consoles',
])('%s does not exist', async path => {
  const { status, body } = await raw(path)
  expect([status, JSON.parse(String(body)).error.code]).toEqual([404, 'not_found'])
})

test.each([
  '/console/files.json',
  '/console/..%2f..%2fpackage.json',
  '/console/__proto__',
  '/console/constructor',
])('%s is the page: only listed files are read', async path => {
  expect(String((await raw(path)).body)).toBe(index)
})

test('other methods are refused', async () => {
  const refused = await open('/console', browser, 'POST')
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('without a built console there is the API only', async () => {
  const plain = await aControlPlane()
  const get = (path: string) => fetch(plain.url + path, { headers: { accept: '*/*' } })
  expect((await get('/console')).status).toBe(404)
  expect((await fetch(plain.url, { headers: browser })).status).toBe(200)
  await plain.close()
})

/** Sends a path unchanged, and returns the body as it arrives. */
function raw(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number | undefined; headers: Record<string, unknown>; body: Buffer }>(
    (resolve, reject) => {
      request(control.url, { path, headers, method }, async response => {
        const body = Buffer.concat(await response.toArray())
        resolve({ status: response.statusCode, headers: response.headers, body })
      })
        .once('error', reject)
        .end()
    },
  )
}
