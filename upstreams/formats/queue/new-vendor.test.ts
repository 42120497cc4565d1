import type { IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../platform/clock.ts'
import type { MediaEntry } from '../../../schema/catalog/entry.ts'
import { aConfig } from '../../../test/harness/a-context.ts'
import { answerJson, aVendor } from '../../../test/harness/a-vendor.ts'
import { aCatalogueWithNewcomer, newcomer } from '../../../test/harness/media/a-newcomer.ts'
import { forThisTest, perFile } from '../../../test/harness/per-file.ts'
import { cancelMedia, pollMedia, submitMedia } from '../../call/call-media.ts'
import { openMediaFile } from '../../call/open-media-file.ts'
import { openUpstreams } from '../../call/open-upstreams.ts'
import { Cancellation } from '../../http/cancellation.ts'
import type { MediaState } from '../../media-adapter.ts'
import { openPlatformCredentials } from '../../platform-credentials.ts'

let entry: MediaEntry

const upstreams = perFile(() =>
  openUpstreams(aConfig({ DATABASE_URL: 'postgres://localhost/none', ALLOW_LOOPBACK: 'true' })),
)

beforeAll(async () => {
  const { models } = await aCatalogueWithNewcomer()
  const found = models.find(({ model }) => model === newcomer)
  if (!found || found.modality === 'chat') throw new Error('the model is not there')
  entry = found
})

test('a model of a vendor that the code does not know is made by its description alone', async () => {
  const answers: object[] = [
    { output: { task_id: 'j/1', task_status: 'PENDING' }, request_id: 'r1' },
    { output: { task_id: 'j/1', task_status: 'RUNNING', progress: 0.42 } },
    { output: { task_id: 'j/1', task_status: 'SUCCEEDED', results: [{ url: 'FILE' }] } },
  ]
  const headers: IncomingHttpHeaders[] = []
  const { way, vendor } = await anAttempt(response => {
    headers.push(response.req.headers)
    const answer = answers.shift()
    if (!answer) return response.end('film')
    return answerJson(
      response,
      200,
      JSON.parse(JSON.stringify(answer).replace('FILE', `${vendor.url}/f.mp4`)),
    )
  })
  const submitted = await submitMedia(upstreams, { ...way(), idempotencyKey: 'task_1' })
  expect(submitted).toMatchObject({ status: 'running', upstream: { id: 'j/1' } })
  expect(vendor.calls[0]).toMatchObject({
    path: '/services/generation',
    key: '',
    body: {
      model_name: 'nc-video-turbo',
      input: { prompt: 'A lighthouse', frames: [{ src: 'https://example.com/a.png' }] },
      parameters: { length: '10', size: '1080*1920', seed: 7, watermark: false },
    },
  })
  expect(headers[0]).toMatchObject({
    'x-access-token': 'sim-key-of-q',
    'x-async': 'enable',
    'x-request-token': 'task_1',
  })
  const running = await pollMedia(upstreams, { ...way(), upstream: upstreamOf(submitted) })
  expect(running).toMatchObject({ status: 'running', progress: 42 })
  const done = await pollMedia(upstreams, { ...way(), upstream: upstreamOf(running) })
  if (done.status !== 'done') throw new Error(JSON.stringify(done))
  const { target, cancellation } = way()
  const { body } = await openMediaFile(upstreams, {
    target,
    file: done.files[0]!,
    maxBytes: 100,
    cancellation,
  })
  expect(await text(body)).toBe('film')
  expect(vendor.calls.map(({ path }) => path)).toEqual([
    '/services/generation',
    '/jobs/j%2F1',
    '/jobs/j%2F1',
    '/f.mp4',
  ])
})

test('its failures, refusals and cancellations are read by the same description', async () => {
  let answer: [status: number, body: object] = [200, {}]
  const { way, vendor } = await anAttempt(response => answerJson(response, ...answer))
  const ask = (body: object, status = 200) => {
    answer = [status, body]
    return pollMedia(upstreams, { ...way(), upstream: { id: 'j1' } })
  }
  expect(
    await ask({ output: { task_status: 'FAILED', code: 'Internal', message: 'Out of paint.' } }),
  ).toEqual({ status: 'failed', code: 'generation_failed', message: 'Out of paint.' })
  const refused = { task_status: 'FAILED', code: 'DataInspectionFailed', message: 'Not this.' }
  expect(await ask({ output: refused })).toMatchObject({ code: 'content_policy' })
  expect(await ask({ output: { task_status: 'CANCELED' } })).toMatchObject({ code: 'cancelled' })
  await expect(ask({ message: 'Slow down.' }, 429)).rejects.toMatchObject({
    kind: 'busy',
    message: 'Slow down.',
  })
  answer = [200, { output: {} }]
  expect(await cancelMedia(upstreams, { ...way(), upstream: { id: 'j1' } })).toBe(true)
  answer = [409, { message: 'Too late.' }]
  expect(await cancelMedia(upstreams, { ...way(), upstream: { id: 'j1' } })).toBe(false)
  expect(vendor.calls.at(-1)?.path).toBe('/jobs/j1/cancel')
})

async function anAttempt(answer: Parameters<typeof aVendor>[0]) {
  const vendor = forThisTest(await aVendor(answer))
  const config = aConfig({
    DATABASE_URL: 'postgres://localhost/none',
    VENDOR_Q_API_KEY: 'sim-key-of-q',
    VENDOR_Q_BASE_URL: vendor.url,
  })
  const credentials = openPlatformCredentials(config, { clock: systemClock, breakerWaitMs: () => 0 })
  const [target] = credentials.targets({ entry, vendor: undefined })
  if (!target) throw new Error('no target')
  const parameters = {
    prompt: 'A lighthouse',
    image_urls: ['https://example.com/a.png'],
    duration: 10,
    resolution: '1080p',
    aspect_ratio: '9:16',
    seed: 7,
  }
  const way = () => ({ call: { entry, parameters }, target, cancellation: new Cancellation() })
  return { vendor, way }
}

function upstreamOf(state: MediaState) {
  if (state.status !== 'running') throw new Error(`it is ${state.status}`)
  return state.upstream
}
