import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileTypeFromBuffer } from 'file-type'
import { expect, onTestFinished, test } from 'vitest'
import { answerMedia, readMediaDirections, stampBytes, writeMediaDirections } from './media.ts'
import { readRequest } from './read-request.ts'

test('directions are found again in a prompt', () => {
  const directions = { durationMs: 3_000, bytes: 1_000_000 }
  expect(readMediaDirections(JSON.stringify({ prompt: writeMediaDirections(directions) }))).toEqual(
    directions,
  )
  expect(readMediaDirections('{}')).toEqual({ durationMs: 0, bytes: 0 })
})

test('an image comes inline, of as many bytes as asked for', async () => {
  const vendor = await aVendor()
  const prompt = writeMediaDirections({ durationMs: 0, bytes: 100_000 })
  const { data } = await call(`${vendor}/images/generations`, { prompt })
  const image = Buffer.from(data[0].b64_json, 'base64')
  expect(image).toHaveLength(100_000)
  expect(await fileTypeFromBuffer(image)).toMatchObject({ mime: 'image/png' })
})

test('a generation runs as long, and its file is as large, as asked for', async () => {
  const vendor = await aVendor()
  const prompt = writeMediaDirections({ durationMs: 60, bytes: 2_000_000 })
  const { request_id } = await call(`${vendor}/queue/reel`, { prompt })
  const request = `${vendor}/queue/reel/requests/${request_id}`
  expect(await call(`${request}/status`)).toEqual({ status: 'IN_PROGRESS' })
  await expect.poll(async () => (await call(`${request}/status`)).status).toBe('COMPLETED')
  const { video } = await call(request)
  const file = Buffer.from(await (await fetch(video.url)).arrayBuffer())
  expect(file.length).toBeGreaterThan(2_000_000)
  expect(await fileTypeFromBuffer(file)).toMatchObject({ mime: 'video/mp4' })
  const askedAt = Number(file.subarray(-stampBytes).toString())
  expect(Math.abs(Date.now() - askedAt)).toBeLessThan(10_000)
})

async function aVendor(): Promise<string> {
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.on('data', data => {
      const request = readRequest(data)
      if (request) answerMedia(socket, request)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

async function call(address: string, body?: object) {
  const headers = { connection: 'close' }
  const response = await fetch(
    address,
    body ? { method: 'POST', body: JSON.stringify(body), headers } : { headers },
  )
  return response.json()
}
