import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileTypeFromBuffer } from 'file-type'
import { expect, onTestFinished, test } from 'vitest'
import { writeDirections } from './directions.ts'
import { answerMedia, stampBytes } from './media.ts'
import { readRequest } from './read-request.ts'

test('an image is inline and has at least the requested size', async () => {
  const vendor = await aVendor()
  const prompt = writeDirections({ bytes: 100_000 })
  const { data } = await call(`${vendor}/images/generations`, { prompt })
  const image = Buffer.from(data[0].b64_json, 'base64')
  expect(image).toHaveLength(100_000)
  expect(await fileTypeFromBuffer(image)).toMatchObject({ mime: 'image/png' })
})

test('a video takes the requested time and has at least the requested size', async () => {
  const vendor = await aVendor()
  const prompt = writeDirections({ latencyMs: 1_000, bytes: 2_000_000 })
  const { request_id } = await call(`${vendor}/queue/reel`, { prompt })
  const request = `${vendor}/queue/reel/requests/${request_id}`
  expect(await call(`${request}/status`)).toEqual({ status: 'IN_PROGRESS' })
  await expect.poll(async () => (await call(`${request}/status`)).status).toBe('COMPLETED')
  const { video } = await call(request)
  const file = Buffer.from(await (await fetch(video.url)).arrayBuffer())
  expect(file.length).toBeGreaterThan(2_000_000)
  expect(await fileTypeFromBuffer(file)).toMatchObject({ mime: 'video/mp4' })
  const requestedAt = Number(file.subarray(-stampBytes).toString())
  expect(Math.abs(Date.now() - requestedAt)).toBeLessThan(10_000)
})

async function aVendor(): Promise<string> {
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.on('data', data => {
      const request = readRequest(data)
      if (typeof request === 'object') answerMedia(socket, request)
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
