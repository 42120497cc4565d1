import { createOpenAI } from '@ai-sdk/openai'
import { generateSpeech } from 'ai'
import OpenAI from 'openai'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { aClient, type TestClient } from '../harness/a-client.ts'
import { balanceOf, expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { forThisTest, perFile } from '../harness/per-file.ts'
import { aTaskSystem } from './a-task-system.ts'

let client: TestClient
let openai: OpenAI

const system = perFile(aTaskSystem)
const sdkOf = ({ text: apiKey }: TestClient, baseURL: string) =>
  new OpenAI({ apiKey, baseURL, maxRetries: 0 })

beforeEach(async () => {
  client = await aClient(system)
  openai = sdkOf(client, `${system.edge.url}/openai/v1`)
})
afterEach(() => expectLedgerToBalance(system.context.sql))

const tasksOf = () =>
  system.context.sql<{ id: string; status: string; url: string }[]>`
    select id, status, results -> 0 ->> 'url' as url from tasks where account_id = ${client.accountId}`
const credits = async () => (await balanceOf(system.context.sql, client.accountId)).credits

describe('speech', () => {
  const speech = { model: 'vendor_n/herald', input: 'Good morning', voice: 'amber' }

  test('is answered as sound, and charged once as a task', async () => {
    const response = await openai.audio.speech.create({ ...speech, stream_format: 'audio' })
    expect(response.headers.get('content-type')).toBe('audio/mpeg')
    const bytes = Buffer.from(await response.arrayBuffer())
    const [task] = await tasksOf()
    const stored = await fetch(task!.url).then(file => file.arrayBuffer())
    expect(bytes.equals(Buffer.from(stored))).toBe(true)
    const [log, ...more] = await logsOf(system, client)
    expect([log?.route, more]).toEqual(['audio.speech', []])
    expect(await credits()).toBe(100_000_000_000n - log!.cost_nanos)
  })

  test('needs media storage if its vendor returns the sound itself', async () => {
    const bare = forThisTest(await aTaskSystem({ MEDIA_FOLDER: 'none' }))
    const theirs = await aClient(bare)
    const asked = sdkOf(theirs, `${bare.edge.url}/openai/v1`).audio.speech.create(speech)
    await expect(asked).rejects.toMatchObject({ status: 501, code: 'media_not_stored', param: 'model' })
    expect(await bare.context.sql`select from tasks where account_id = ${theirs.accountId}`).toHaveLength(0)
  })

  test('is what generateSpeech of the AI SDK answers', async () => {
    const provider = createOpenAI({ apiKey: client.text, baseURL: `${system.edge.url}/openai/v1` })
    const model = provider.speech(speech.model)
    const { audio } = await generateSpeech({ model, text: 'Hi', voice: 'amber' })
    expect(audio.uint8Array.length).toBeGreaterThan(200)
  })

  test('under an Idempotency-Key is made once, and answered again', async () => {
    const headers = { 'idempotency-key': 'once' }
    const first = await openai.audio.speech.create(speech, { headers })
    const second = await openai.audio.speech.create(speech, { headers })
    expect(Buffer.from(await second.arrayBuffer())).toEqual(Buffer.from(await first.arrayBuffer()))
    expect(second.headers.get('content-type')).toBe('audio/mpeg')
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(await tasksOf()).toHaveLength(1)
  })

  test('that fails is an error, and costs nothing', async () => {
    const failing = openai.audio.speech.create({ ...speech, input: 'Hi [[fault: 422]]' })
    const error = { code: expect.any(String) }
    await expect(failing).rejects.toMatchObject({ status: expect.any(Number), error })
    expect(await tasksOf()).toMatchObject([{ status: 'failed' }])
    expect(await credits()).toBe(100_000_000_000n)
  })

  test('whose client leaves is made and charged', async () => {
    const leaving = new AbortController()
    const slow = { ...speech, input: 'Leave now. [[fault: slow;ms=3000]]' }
    const asked = openai.audio.speech.create(slow, { signal: leaving.signal })
    asked.catch(() => {})
    await expect.poll(tasksOf).toHaveLength(1)
    leaving.abort()
    await expect(asked).rejects.toThrow()
    await expect.poll(tasksOf, { timeout: 20_000 }).toMatchObject([{ status: 'success' }])
    expect(await credits()).toBeLessThan(100_000_000_000n)
  })

  test('under /v1 to a client that accepts no JSON is a 406 before anything is held', async () => {
    const misled = sdkOf(client, system.baseURL)
    const error = await misled.audio.speech.create(speech).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ status: 406, code: 'not_acceptable' })
    expect(String(error)).toContain('/openai/v1')
    expect(await tasksOf()).toEqual([])
  })
})

describe('videos', () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const asked = { model: 'vendor_i/reel', prompt: 'A paper boat', seconds: '5' as never }
  /** Waits for a video to end, as OpenAI's guide does it. */
  const ended = async (id: string) => {
    const status = async () => (await openai.videos.retrieve(id)).status
    await expect.poll(status, { timeout: 20_000 }).toMatch(/completed|failed/)
    return openai.videos.retrieve(id)
  }

  test('are created, retrieved, listed, downloaded and deleted over one task', async () => {
    const created = await openai.videos.create({ ...asked, size: '1792x1024' })
    expect(created).toMatchObject({
      ...asked,
      object: 'video',
      status: 'queued',
      size: '1920x1080',
      progress: 0,
    })
    const video = await ended(created.id)
    const times = { completed_at: expect.any(Number), expires_at: expect.any(Number) }
    expect(video).toMatchObject({ ...created, cost: 0.6, status: 'completed', progress: 100, ...times })
    const [task] = await tasksOf()
    const response = await openai.videos.downloadContent(created.id)
    expect(response.headers.get('content-type')).toBe('video/mp4')
    const stored = await fetch(task!.url).then(file => file.arrayBuffer())
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(stored))
    const listed: unknown[] = []
    for await (const each of openai.videos.list({ order: 'asc' })) listed.push(each)
    expect(listed).toEqual([video])
    const deleted = { id: created.id, object: 'video.deleted', deleted: true }
    expect(await openai.videos.delete(created.id)).toEqual(deleted)
    await expect(openai.videos.downloadContent(created.id)).rejects.toMatchObject({ status: 404 })
    expect(await credits()).toBe(100_000_000_000n - (await logsOf(system, client))[0]!.cost_nanos)
  })

  test('begin with the image of a form, or an address', async () => {
    const model = 'vendor_m/matinee-still'
    const still = { model, prompt: 'Waves', seconds: '4' as const, size: '1280x720' as const }
    const file = new File([png], 'cat.png', { type: 'image/png' })
    for (const input_reference of [file, { image_url: `data:image/png;base64,${png.toString('base64')}` }]) {
      const { id, seconds, size } = await openai.videos.create({ ...still, input_reference })
      expect({ seconds, size }).toEqual({ seconds: '4', size: '1280x720' })
      expect(await ended(id)).toMatchObject({ status: 'completed' })
    }
  })

  test('that fail say why, and have no content', async () => {
    const { id } = await openai.videos.create({ ...asked, prompt: 'A boat [[fault: 422]]' })
    const error = { message: expect.stringMatching(/./) }
    expect(await ended(id)).toMatchObject({ status: 'failed', error })
    await expect(openai.videos.downloadContent(id)).rejects.toMatchObject({ status: 400 })
  })

  const create = (more: object) => openai.videos.create({ ...asked, ...more })
  const refused: [string, () => Promise<unknown>, object][] = [
    ['a remix', () => openai.videos.remix('task_1', { prompt: 'x' }), { status: 404 }],
    ['an edit', () => openai.videos.edit({ prompt: 'x', video: { id: 'task_1' } }), { status: 404 }],
    ['an unknown video', () => openai.videos.retrieve('task_1'), { code: 'task_not_found' }],
    ['no model', () => openai.videos.create({ prompt: 'x' }), { status: 400, param: 'model' }],
    [
      'a size that the model lacks',
      () => create({ size: '300x200' as never }),
      { status: 400, param: 'size' },
    ],
    ['a file by ID', () => create({ input_reference: { file_id: 'file_1' } }), { status: 400 }],
  ]
  test.each(refused)('%s is refused, and nothing is held', async (_, call, expected) => {
    await expect(call()).rejects.toMatchObject(expected)
    expect(await tasksOf()).toEqual([])
  })
})

test('all other calls are as under /v1', async () => {
  const model = 'vendor_a/atlas'
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  const completion = await openai.chat.completions.create({ model, messages })
  expect(completion.choices[0]?.message.content).toMatch(/./)
  const names: string[] = []
  for await (const { id } of openai.models.list()) names.push(id)
  expect(names).toContain(model)
  expect(await openai.models.retrieve(model)).toMatchObject({ id: model })
})

test('calls that are not served are refused with a hint, under both prefixes', async () => {
  for (const baseURL of [system.baseURL, `${system.edge.url}/openai/v1`]) {
    const sdk = sdkOf(client, baseURL)
    const file = new File(['x'], 'a.mp3')
    const calls: [() => Promise<unknown>, RegExp][] = [
      [() => sdk.files.create({ file, purpose: 'user_data' }), /uploads/],
      [() => sdk.files.retrieve('file_1'), /uploads/],
      [() => sdk.moderations.create({ input: 'Hi' }), /chat model/],
      [() => sdk.completions.create({ model: 'vendor_a/atlas', prompt: 'Hi' }), /chat\/completions/],
      [() => sdk.audio.transcriptions.create({ file, model: 'whisper-1' }), /input_audio/],
    ]
    for (const [call, hint] of calls) {
      const error = await call().catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ status: 404, message: expect.stringMatching(hint) })
    }
  }
  await expect(sdkOf(client, system.baseURL).videos.retrieve('video_1')).rejects.toThrow(/openai\/v1/)
})
