import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { storeMedia } from '../../domain/media/store-media.ts'
import { runEdge } from '../edge/run-process.ts'
import { aMediaEdge, type MediaSystem } from '../harness/media/a-media-edge.ts'
import { aFile } from '../harness/media/media-files.ts'
import { perFile } from '../harness/per-file.ts'

const accountId = '0199aaaa-0000-7000-8000-000000000001'
const video = Buffer.concat([aFile('mp4'), randomBytes(3_000_000)])

const store = ({ media }: MediaSystem, source: Buffer, kind: 'result' | 'upload' = 'result') =>
  storeMedia(media, { accountId, kind, source: Readable.from([source]), maxBytes: 100_000_000 })

const system = perFile(() => aMediaEdge({}, { stalledReaderMs: 400, mediaPerAddress: 3 }))
const stored = perFile(() => store(system, video))

test('what is no file is 404, what was one is 410, and other methods are told which there are', async () => {
  const base = system.config.mediaUrl
  const asked = async (address: string, init?: RequestInit) => (await fetch(address, init)).status
  expect(await asked(`${base}/results/2020-01-01/AAAAAAAAAAAAAAAAAAAAAA.png`)).toBe(410)
  expect(await asked(`${base}/results/2099-01-01/AAAAAAAAAAAAAAAAAAAAAA.png`)).toBe(404)
  expect(await asked(stored.url, { method: 'POST' })).toBe(405)
  expect(await asked(stored.url, { method: 'DELETE' })).toBe(405)
  const { url, id } = await store(system, aFile('png'))
  await system.context.sql`update media_files set expires_at = now() - interval '1 second' where id = ${id}`
  expect(await asked(url)).toBe(410)
})

test('no path leads out of the folder', async () => {
  const { port } = new URL(system.edge.url)
  for (const path of [
    '/media/../package.json',
    '/media/results/../../../package.json',
    '/media/%2e%2e/%2e%2e/package.json',
    `/media/results/2026-11-22/..%2f..%2fpackage.json`,
    '/media//etc/passwd',
    '/media/results/2026-11-22/AAAAAAAAAAAAAAAAAAAAAA.png%00.html',
  ])
    expect(await statusOf(Number(port), path), path).toMatch(/^(404|410)$/)
})

test('what an account uploaded is kept by its reader alone', async () => {
  const { url } = await store(system, aFile('png'), 'upload')
  const response = await fetch(url)
  expect(response.headers.get('cache-control')).toMatch(/^private,/)
  await response.arrayBuffer()
})

test('a reader that stops is cut, and gives its place back', async () => {
  const large = await store(system, Buffer.concat([aFile('mp4'), Buffer.alloc(40_000_000)]))
  const { port, pathname } = new URL(large.url)
  const readers = Array.from({ length: 3 }, () => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(`GET ${pathname} HTTP/1.1\r\nhost: x\r\n\r\n`)
    return socket
  })
  await Promise.all(readers.map(socket => once(socket, 'readable')))
  expect(await fetch(stored.url).then(read)).toBe(503)
  await expect.poll(() => fetch(stored.url).then(read), { timeout: 10_000 }).toBe(200)
  for (const socket of readers) socket.destroy()
})

test('a reader that leaves half-way gives its place back', async () => {
  for (let count = 0; count < 8; count++) {
    const cancelled = new AbortController()
    const response = await fetch(stored.url, { signal: cancelled.signal })
    await response.body!.getReader().read()
    cancelled.abort()
    await sleep(20)
  }
  expect(await fetch(stored.url).then(read)).toBe(200)
})

test('a file that was deleted behind our back is 404, and the process goes on', async () => {
  const { url, name } = await store(system, aFile('png'))
  await rm(join(system.folder, name))
  expect((await fetch(url)).status).toBe(404)
  expect(await fetch(stored.url).then(read)).toBe(200)
})

test('the log has no address under which a file can be read', async () => {
  const edge = await runEdge(system.config, { LOG_LEVEL: 'info', MEDIA_FOLDER: system.folder })
  await edge.linesSaying('ready', 1)
  const { pathname } = new URL(stored.url)
  expect(await fetch(`${edge.url}${pathname}`).then(read)).toBe(200)
  const path = pathname.replace(/(\w{4})\w{18}\.mp4$/, '$1….mp4')
  await expect.poll(() => edge.logLines().filter(line => line.path === path)).toHaveLength(1)
  expect(edge.words()).not.toContain(pathname)
})

async function read(response: Response): Promise<number> {
  await response.arrayBuffer()
  return response.status
}

/** The status of a path that is sent verbatim. */
function statusOf(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', reject)
    socket.once('data', data => {
      socket.destroy()
      resolve(data.toString('latin1').split(' ')[1] ?? '')
    })
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
  })
}
