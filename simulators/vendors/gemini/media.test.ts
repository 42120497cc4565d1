import { ApiError, GoogleGenAI } from '@google/genai'
import { fileTypeFromBuffer } from 'file-type'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'

let simulator: RunningSimulator
let client: GoogleGenAI

beforeAll(async () => {
  simulator = await startSimulator()
  client = new GoogleGenAI({ apiKey: 'sim-key', httpOptions: { baseUrl: `${simulator.url}/gemini` } })
})
afterEach(() => simulator.reset())
afterAll(() => simulator.close())

it("an image comes inline to the vendor's own client, of the size asked for", async () => {
  const answer = await client.models.generateContent({
    model: 'vista-3',
    contents: 'A lighthouse',
    config: { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '16:9', imageSize: '2K' } },
  })
  const parts = answer.candidates?.[0]?.content?.parts ?? []
  expect(parts[0]?.text).toBe('Here is your picture.')
  const bytes = Buffer.from(parts[1]?.inlineData?.data ?? '', 'base64')
  expect(await fileTypeFromBuffer(bytes)).toMatchObject({ mime: 'image/png' })
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([3640, 2048])
})

it('a model that does not draw, and a size that there is not, are refused', async () => {
  const asking = async (model: string, config: object) => {
    const error = await client.models
      .generateContent({ model, contents: 'x', config })
      .catch((error: unknown) => error)
    return error instanceof ApiError ? error.message : ''
  }
  expect(await asking('prism-3-pro', { responseModalities: ['IMAGE'] })).toContain(
    'response modalities: image',
  )
  const odd = { responseModalities: ['IMAGE'], imageConfig: { imageSize: '3K' } }
  expect(await asking('vista-3', odd)).toContain('generation_config.image_config.image_size')
})

async function call(method: string, path: string, body?: object) {
  const response = await fetch(`${simulator.url}/gemini/v1beta/${path}`, {
    method,
    headers: { 'x-goog-api-key': 'sim-key', 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

const start = (prompt: string, parameters = {}) =>
  call('POST', 'models/sonora-1:predictLongRunning', { instances: [{ prompt }], parameters })

it('a video is an operation, and downloaded with its key', async () => {
  simulator.change({ generationMs: 60 })
  const parameters = { aspectRatio: '9:16', durationSeconds: 6, resolution: '1080p', generateAudio: true }
  const { name } = (await start('A lighthouse', parameters)).body
  expect((await call('GET', name)).body).toEqual({ name })
  await expect.poll(async () => (await call('GET', name)).body.done).toBe(true)
  const { generateVideoResponse } = (await call('GET', name)).body.response
  const { uri } = generateVideoResponse.generatedSamples[0].video
  expect((await fetch(uri)).status).toBe(403)
  const fetched = await fetch(uri, { headers: { 'x-goog-api-key': 'sim-key' } })
  expect(fetched.redirected).toBe(true)
  expect(await fileTypeFromBuffer(await fetched.arrayBuffer())).toMatchObject({ mime: 'video/mp4' })
})

it('an operation fails, is filtered, or was never there', async () => {
  const endOf = async (fault: string) => call('GET', (await start(`x [[fault: ${fault}]]`)).body.name)
  expect((await endOf('fail')).body).toMatchObject({ done: true, error: { code: 13 } })
  expect((await endOf('refusal')).body.response.generateVideoResponse).toMatchObject({
    raiMediaFilteredCount: 1,
  })
  expect(await endOf('lost')).toMatchObject({ status: 404, body: { error: { status: 'NOT_FOUND' } } })
})

it('what the model does not know is refused', async () => {
  expect(await start('x', { fps: 24 })).toMatchObject({ status: 400 })
  expect(await start('x', { durationSeconds: '6' })).toMatchObject({ status: 400 })
  expect(await start('')).toMatchObject({ status: 400 })
})
