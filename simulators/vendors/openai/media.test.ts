import { fileTypeFromBuffer } from 'file-type'
import OpenAI, { APIError } from 'openai'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { makePng } from '../media/make-png.ts'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'

let simulator: RunningSimulator
let client: OpenAI

beforeAll(async () => {
  simulator = await startSimulator()
  client = new OpenAI({ apiKey: 'sim-key', baseURL: `${simulator.url}/openai/v1`, maxRetries: 0 })
})
afterEach(() => simulator.reset())
afterAll(() => simulator.close())

const aFile = () =>
  new File([new Uint8Array(makePng({ width: 64, height: 64 }, 1))], 'a.png', { type: 'image/png' })

async function refusalOf(asked: Promise<unknown>) {
  const error = await asked.catch((error: unknown) => error)
  if (!(error instanceof APIError)) throw new Error('it was not refused')
  return { status: error.status, code: error.code, param: error.param, message: error.message }
}

describe("images, by the vendor's own client", () => {
  it('come in base64, of the size and number asked for, with their usage', async () => {
    const answer = await client.images.generate({
      model: 'mural-1',
      prompt: 'A lighthouse',
      n: 2,
      size: '1536x1024',
    })
    expect(answer.data).toHaveLength(2)
    const bytes = Buffer.from(answer.data?.[0]?.b64_json ?? '', 'base64')
    expect(await fileTypeFromBuffer(bytes)).toMatchObject({ mime: 'image/png' })
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1536, 1024])
    expect(answer.usage?.total_tokens).toBeGreaterThan(0)
    expect(answer.output_format).toBe('png')
  })

  it('come by address from the classic models, one a call', async () => {
    const answer = await client.images.generate({ model: 'fresco-2', prompt: 'A lighthouse', quality: 'hd' })
    const fetched = await fetch(answer.data?.[0]?.url ?? '')
    expect(fetched.headers.get('content-type')).toBe('image/png')
    const more = client.images.generate({ model: 'fresco-2', prompt: 'A lighthouse', n: 2 })
    expect(await refusalOf(more)).toMatchObject({ status: 400, param: 'n', code: 'integer_above_max_value' })
  })

  it('are made of others, which must be images', async () => {
    const edit = { model: 'mural-1', prompt: 'More light' }
    expect((await client.images.edit({ ...edit, image: [aFile(), aFile()] })).data).toHaveLength(1)
    const text = new File(['no image'], 'a.png', { type: 'image/png' })
    expect(await refusalOf(client.images.edit({ ...edit, image: text }))).toMatchObject({
      status: 400,
      code: 'unsupported_file_mimetype',
    })
  })

  it('are refused with what the model does not know', async () => {
    const asking = (more: object) =>
      refusalOf(client.images.generate({ prompt: 'x', model: 'mural-1', ...more }))
    expect(await asking({ seed: 7 })).toMatchObject({ code: 'unknown_parameter', param: 'seed' })
    expect(await asking({ response_format: 'url' })).toMatchObject({ param: 'response_format' })
    expect(await asking({ size: '16x16' })).toMatchObject({ code: 'invalid_value' })
    expect(await asking({ prompt: 'x [[fault: refusal]]' })).toMatchObject({ code: 'moderation_blocked' })
    expect(await asking({ model: 'missing-1' })).toMatchObject({ status: 404 })
  })
})

describe("videos, by the vendor's own client", () => {
  it('are made in time, downloaded, and deleted', async () => {
    simulator.change({ generationMs: 100 })
    const created = await client.videos.create({
      model: 'matinee-2',
      prompt: 'A lighthouse',
      seconds: '8',
      size: '1280x720',
    })
    expect(created).toMatchObject({ object: 'video', seconds: '8', size: '1280x720', error: null })
    expect(['queued', 'in_progress']).toContain(created.status)
    expect(await refusalOf(client.videos.downloadContent(created.id))).toMatchObject({ status: 404 })
    expect(await refusalOf(client.videos.delete(created.id))).toMatchObject({ status: 400 })
    await expect.poll(async () => (await client.videos.retrieve(created.id)).status).toBe('completed')
    const bytes = Buffer.from(await (await client.videos.downloadContent(created.id)).arrayBuffer())
    expect(await fileTypeFromBuffer(bytes)).toMatchObject({ mime: 'video/mp4' })
    expect(await client.videos.delete(created.id)).toMatchObject({ deleted: true })
    expect(await refusalOf(client.videos.retrieve(created.id))).toMatchObject({ status: 404 })
  })

  it('begin with a picture, fail, and are refused', async () => {
    const prompt = 'x [[fault: fail]]'
    const { id } = await client.videos.create({ model: 'matinee-2', prompt, input_reference: aFile() })
    expect(await client.videos.retrieve(id)).toMatchObject({
      status: 'failed',
      error: { code: 'video_generation_failed' },
    })
    const wrong = {
      method: 'POST',
      headers: { authorization: 'Bearer sim-key', 'content-type': 'application/json' },
    }
    const post = (body: object) =>
      fetch(`${simulator.url}/openai/v1/videos`, { ...wrong, body: JSON.stringify(body) }).then(r => r.json())
    expect(await post({ prompt: 'x', seconds: 8 })).toMatchObject({ error: { param: 'seconds' } })
    expect(await post({ prompt: 'x', duration: '8' })).toMatchObject({ error: { code: 'unknown_parameter' } })
  })
})

describe("speech, by the vendor's own client", () => {
  const speech = { model: 'orator-1', input: 'Hello there', voice: 'coral' as const }

  it.each([
    ['mp3', 'audio/mpeg'],
    ['wav', 'audio/wav'],
    ['flac', 'audio/flac'],
    ['aac', 'audio/aac'],
  ] as const)('comes as %s', async (response_format, mime) => {
    const answer = await client.audio.speech.create({ ...speech, response_format })
    expect(answer.headers.get('content-type')).toBe(mime)
    expect(await fileTypeFromBuffer(await answer.arrayBuffer())).toMatchObject({ mime })
  })

  it('comes piece by piece, and is cut on request', async () => {
    const input = 'A long speech. '.repeat(100)
    const answer = await client.audio.speech.create({ ...speech, input, response_format: 'pcm' })
    expect((await answer.arrayBuffer()).byteLength).toBe(Math.round(input.length * 0.06 * 24_000) * 2)
    expect(simulator.calls.at(-1)?.frames).toBeGreaterThan(10)
    const cut = await client.audio.speech.create({ ...speech, input: `${input}[[fault: cut;n=1]]` })
    await expect(cut.arrayBuffer()).rejects.toThrow()
  })

  it('is refused with another voice, or without one', async () => {
    expect(await refusalOf(client.audio.speech.create({ ...speech, voice: 'amber' }))).toMatchObject({
      status: 400,
    })
    expect(
      await refusalOf(client.audio.speech.create({ ...speech, input: 'x'.repeat(4_097) })),
    ).toMatchObject({
      param: 'input',
    })
  })
})
