import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { noServices } from '../../test/harness/a-chat-call.ts'
import { aMediaCall } from '../../test/harness/media/a-media-call.ts'
import { mediaAdapterOf } from '../call/media-adapters.ts'
import type { HttpRequest } from '../chat-adapter.ts'
import type { MediaAnswer } from '../media-adapter.ts'
import type { Target } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'

const target: Target = { vendor: 'vendor_x', baseUrl: 'https://vendor.example/base', apiKey: 'the-key' }
const png = { type: 'image/png', base64: 'iVBORw0KGgo=' }
const inline = { mimeType: png.type, data: png.base64 }
const dataUri = `data:${png.type};base64,${png.base64}`

function answerOf(content: unknown, headers: MediaAnswer['headers'] = {}): MediaAnswer {
  return {
    status: 200,
    headers,
    json: async () => Object(content),
    stream: () => Readable.from([Buffer.from('sound')]),
  }
}

function anAttempt(model: string, parameters: Record<string, unknown> = {}) {
  const call = aMediaCall(model, parameters)
  return { call, adapter: mediaAdapterOf(call.entry, target) }
}

async function requestOf(model: string, parameters: Record<string, unknown> = {}): Promise<HttpRequest> {
  const { call, adapter } = anAttempt(model, parameters)
  return adapter.buildSubmit(call, target, noServices)
}

async function bodyOf(model: string, parameters: Record<string, unknown> = {}) {
  return JSON.parse(String((await requestOf(model, parameters)).body))
}

async function submitted(model: string, content: unknown, headers?: MediaAnswer['headers']) {
  const { call, adapter } = anAttempt(model)
  return adapter.readSubmit(answerOf(content, headers), call, target)
}

const byAddress = { image_urls: ['https://a.example/b'] }

async function polled(model: string, content: unknown, upstream = { id: 'g1' }) {
  const { call, adapter } = anAttempt(model, model === 'vendor_l/ensemble' ? byAddress : {})
  return adapter.readPoll?.(answerOf(content), { upstream, call, target })
}

describe('openai-images', () => {
  test('sends parameters by the rules of the model, and names the end user by a token', async () => {
    const request = await requestOf('vendor_g/fresco', { aspect_ratio: '9:16', n: 3 })
    expect(request).toMatchObject({
      origin: 'https://vendor.example',
      path: '/base/images/generations',
      headers: { authorization: 'Bearer the-key' },
    })
    // One at a time: `n` is left to the caller.
    expect(JSON.parse(String(request.body))).toEqual({
      model: 'fresco-2',
      prompt: 'A lighthouse',
      quality: 'standard',
      style: 'vivid',
      size: '1024x1792',
      user: 'rb-cache-token',
    })
  })

  test('sends input images in a form', async () => {
    const { path, headers, body } = await requestOf('vendor_g/fresco-edit', {
      image_urls: [dataUri, dataUri],
    })
    expect(path).toBe('/base/images/edits')
    const form = await new Response(new Uint8Array(Buffer.from(body ?? '')), {
      headers: { 'content-type': headers['content-type'] ?? '' },
    }).formData()
    expect(form.get('model')).toBe('fresco-2-edit')
    const files = form.getAll('image[]').filter(file => typeof file !== 'string')
    expect(files.map(({ name, type }) => [name, type])).toEqual([
      ['image-0.png', 'image/png'],
      ['image-1.png', 'image/png'],
    ])
  })

  test('names the image that cannot be read', async () => {
    const asked = requestOf('vendor_g/fresco-edit', { image_urls: [dataUri, 'data:image/png;base64,_-'] })
    await expect(asked).rejects.toMatchObject({ details: { param: 'image_urls[1]' } })
  })

  test('reads images inline and by address', async () => {
    const data = [{ b64_json: png.base64 }, { url: 'https://cdn.example/a.png?x=1' }, { url: '/files/a.png' }]
    expect(await submitted('vendor_g/fresco', { data, output_format: 'webp' })).toEqual({
      status: 'done',
      files: [
        { content: Buffer.from(png.base64, 'base64'), contentType: 'image/webp' },
        { url: 'https://cdn.example/a.png?x=1', contentType: 'image/webp' },
        {
          path: '/files/a.png',
          key: { header: 'authorization', scheme: 'Bearer' },
          contentType: 'image/webp',
        },
      ],
    })
  })
})

test('openai-speech: passes the sound on as it comes, and refuses what is none', async () => {
  const state = await submitted('vendor_n/herald', {}, { 'content-type': 'audio/mpeg' })
  expect(state).toMatchObject({
    status: 'done',
    files: [{ content: expect.any(Readable), contentType: 'audio/mpeg' }],
  })
  const refused = submitted(
    'vendor_n/herald',
    { error: { message: 'no voice' } },
    { 'content-type': 'application/json' },
  )
  await expect(refused).rejects.toThrow('no voice')
})

test.each([
  [
    { status: 'queued', progress: 0 },
    { status: 'running', upstream: { id: 'v/1' }, progress: 0 },
  ],
  [{ status: 'failed', error: { code: 'moderation_blocked', message: 'No.' } }, { code: 'content_policy' }],
  [{ status: 'failed', error: null }, { code: 'generation_failed' }],
  [{ status: 'completed' }, { files: [{ path: '/base/videos/v%2F1/content' }] }],
])('openai-videos reads %j', async (video, state) => {
  expect(await polled('vendor_m/matinee', { id: 'v/1', ...video })).toMatchObject(state)
})

describe('gemini-images', () => {
  test('sends the prompt after the images, and the rest where the rules say', async () => {
    const parameters = { image_urls: [dataUri], resolution: '4K', seed: 7 }
    const imageConfig = { imageSize: '4K' }
    expect(await bodyOf('vendor_c/vista-edit', parameters)).toEqual({
      contents: [{ role: 'user', parts: [{ inlineData: inline }, { text: 'A lighthouse' }] }],
      generationConfig: { responseModalities: ['TEXT', 'IMAGE'], imageConfig, seed: 7 },
    })
  })

  test('reads the images, and none that was drawn while thinking', async () => {
    const image = (thought?: boolean) => ({ inlineData: inline, thought })
    const content = { parts: [{ text: 'Here.' }, image(true), image()] }
    const state = await submitted('vendor_c/vista', { candidates: [{ content, finishReason: 'STOP' }] })
    expect(state).toEqual({
      status: 'done',
      files: [{ content: Buffer.from(png.base64, 'base64'), contentType: 'image/png' }],
    })
  })

  test.each([
    [{ promptFeedback: { blockReason: 'OTHER' } }, 'content_policy'],
    [{ candidates: [{ finishReason: 'IMAGE_SAFETY', finishMessage: 'No.' }] }, 'content_policy'],
    [{ candidates: [{ finishReason: 'NO_IMAGE' }] }, 'generation_failed'],
    [{ candidates: [{ content: { parts: [{ text: 'I only talk.' }] } }] }, 'generation_failed'],
    [{}, 'generation_failed'],
  ])('an answer without images has failed: %j', async (content, code) => {
    expect(await submitted('vendor_c/vista', content)).toMatchObject({ status: 'failed', code })
  })

  test('a type that is no text is none', async () => {
    const parts = [{ inlineData: { ...inline, mimeType: { a: 1 } } }]
    const state = await submitted('vendor_c/vista', { candidates: [{ content: { parts } }] })
    expect(state).toMatchObject({ files: [{ contentType: undefined }] })
  })

  test('an error in place of an answer is a failure of the call', async () => {
    const asked = submitted('vendor_c/vista', { error: { code: 503, message: 'Later.' } })
    await expect(asked).rejects.toMatchObject({ kind: 'busy' })
  })
})

describe('google-operations', () => {
  const image = { bytesBase64Encoded: png.base64, mimeType: png.type }
  const sample = (uri: string) => ({ generateVideoResponse: { generatedSamples: [{ video: { uri } }] } })

  test('sends images as subjects to a model of references', async () => {
    const parameters = { image_urls: [dataUri], duration: '10' }
    expect(await bodyOf('vendor_j/likeness', parameters)).toEqual({
      instances: [{ prompt: 'A lighthouse', referenceImages: [{ image, referenceType: 'asset' }] }],
      parameters: { aspectRatio: '16:9', durationSeconds: 10, resolution: '2K' },
    })
  })

  test('asks for an operation by its name, below the base address', async () => {
    const { call, adapter } = anAttempt('vendor_j/sonora')
    const name = 'models/sonora-1/operations/a-1'
    expect(await adapter.buildPoll?.({ upstream: { id: name }, call, target }, noServices)).toMatchObject({
      method: 'GET',
      path: `/base/v1beta/${name}`,
    })
    for (const id of ['models/../../admin', '/models/a', 'models/a?x=1', 'models//a', 'a'])
      await expect(submitted('vendor_j/sonora', { name: id })).rejects.toMatchObject({ kind: 'broken' })
  })

  test.each([
    [sample('https://cdn.example/a'), { url: 'https://cdn.example/a' }],
    [
      sample('https://vendor.example/f:download?alt=media'),
      { path: '/f:download?alt=media', key: { header: 'x-goog-api-key', scheme: '' } },
    ],
    [{ videos: [{ ...image, mimeType: 'video/mp4' }] }, { content: Buffer.from(png.base64, 'base64') }],
  ])('reads %j', async (response, file) => {
    const state = await polled('vendor_j/sonora', { name: 'models/a/operations/b', done: true, response })
    expect(state).toMatchObject({ status: 'done', files: [file] })
  })
})

describe('queue', () => {
  test('a result that is elsewhere is asked for at once, by what the state refers to', async () => {
    const done = { status: 'Success', file_id: 'f/9', progress: 100, base_resp: { status_code: 0 } }
    const upstream = { id: 'g1', ask: 'result' as const, reference: 'f/9' }
    const state = await polled('vendor_l/ensemble', done)
    expect(state).toMatchObject({ status: 'running', upstream, pollAfterMs: 0 })
    const { call, adapter } = anAttempt('vendor_l/ensemble', byAddress)
    expect(await adapter.buildPoll?.({ upstream, call, target }, noServices)).toMatchObject({
      path: '/base/files/retrieve?file_id=f%2F9',
    })
  })

  test.each([
    [1002, 'busy'],
    [1008, 'auth'],
    [1026, 'request'],
    [7777, 'broken'],
  ])('an outcome of %s in an answer of 200 is a failure: %s', async (code, kind) => {
    const body = { status: 'Processing', base_resp: { status_code: code, status_msg: 'Why.' } }
    await expect(polled('vendor_l/ensemble', body)).rejects.toMatchObject({ kind, message: 'Why.' })
  })

  test('inputs that came inline are not sent to a vendor that takes addresses alone', async () => {
    const asked = requestOf('vendor_l/ensemble', { image_urls: [dataUri] })
    await expect(asked).rejects.toMatchObject({ details: { param: 'image_urls[0]' } })
  })
})

const models = ['a/mural', 'c/vista', 'm/matinee', 'j/sonora', 'i/reel', 'k/flipbook'].map(
  name => `vendor_${name}`,
)
const keys =
  'id status data url b64_json output error message done response candidates content parts inlineData name videos uri ' +
  'video images request_id progress'

/** Responses that resemble vendors' responses. */
const { body } = fc.letrec(tie => ({
  body: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, '', 'https://a.example/b', 'succeeded', 'COMPLETED', 'completed', 1e308, -1),
    fc.array(tie('body'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keys.split(' ')), tie('body')),
  ),
}))

test.each(models)('%s: whatever is answered is a state or a failure of the vendor', async model => {
  const { call, adapter } = anAttempt(model)
  const read = async (reading: Promise<unknown> | undefined) => {
    try {
      const state = await reading
      if (state) expect(state).toHaveProperty('status')
    } catch (error) {
      expect(error).toBeInstanceOf(UpstreamFailure)
    }
  }
  await fc.assert(
    fc.asyncProperty(body, async value => {
      await read((async () => adapter.readSubmit(answerOf(value), call, target))())
      const upstream = { id: 'g1' }
      await read((async () => adapter.readPoll?.(answerOf(value), { upstream, call, target }))())
      const failure = adapter.readFailure(500, {}, Buffer.from(JSON.stringify(value)), call)
      expect(failure.kind).toBe('broken')
    }),
    { numRuns: 300 },
  )
})
