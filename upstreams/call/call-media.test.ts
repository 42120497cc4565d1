import { buffer } from 'node:stream/consumers'
import { fileTypeFromBuffer } from 'file-type'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startSimulator } from '../../simulators/vendors/start-simulator.ts'
import { aConfig } from '../../test/harness/a-context.ts'
import { answerJson, aVendor as startVendor } from '../../test/harness/a-vendor.ts'
import { simulatedVendors } from '../../test/harness/an-edge.ts'
import { aMediaCall, aMediaTarget } from '../../test/harness/media/a-media-call.ts'
import { forThisTest, perFile } from '../../test/harness/per-file.ts'
import { theCatalogue } from '../../test/harness/the-catalogue.ts'
import { Cancellation } from '../http/cancellation.ts'
import type { MediaCall, MediaState } from '../media-adapter.ts'
import type { Target } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { openBreakers } from './breaker.ts'
import { cancelMedia, pollMedia, submitMedia } from './call-media.ts'
import { openMediaFile } from './open-media-file.ts'
import { openUpstreams, type Upstreams } from './open-upstreams.ts'

let upstreams: Upstreams

const simulator = perFile(() => startSimulator({ settings: { generationMs: 30 } }))
const config = perFile(async () =>
  aConfig({
    DATABASE_URL: 'postgres://localhost/none',
    ALLOW_LOOPBACK: 'true',
    ...simulatedVendors((await theCatalogue()).vendors, simulator.url),
  }),
)
const pools = perFile(() => openUpstreams(config))

beforeAll(forgetFailures)
afterEach(() => {
  simulator.reset()
  forgetFailures()
})

/** Breakers that have seen nothing, and no second tries. */
function forgetFailures() {
  const clock = { now: Date.now, monotonic: () => performance.now() }
  upstreams = { ...pools, breakers: openBreakers(clock), retries: { earn() {}, spend: () => false } }
}

const png = `data:image/png;base64,${Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').toString('base64')}`

interface Way {
  call: MediaCall
  target: Target
  idempotencyKey?: string
}

function anAttempt(model: string, parameters: Record<string, unknown> = {}): Way {
  const call = aMediaCall(model, parameters)
  return { call, target: aMediaTarget(config, call) }
}

let keys = 0

function submit({ idempotencyKey = `key-${++keys}`, ...way }: Way): Promise<MediaState> {
  return submitMedia(upstreams, { ...way, idempotencyKey, cancellation: new Cancellation() })
}

function poll(way: Way, state: MediaState, options: { isAwaited?: boolean } = {}): Promise<MediaState> {
  if (state.status !== 'running') throw new Error(`it is ${state.status}`)
  const { upstream } = state
  return pollMedia(upstreams, { ...way, ...options, upstream, cancellation: new Cancellation() })
}

/** Submits a generation and polls until it has ended. */
async function finish(way: Way): Promise<MediaState> {
  let state = await submit(way)
  while (state.status === 'running') {
    await new Promise(resolve => setTimeout(resolve, 10))
    state = await poll(way, state)
  }
  return state
}

function cancel(way: Way, state: MediaState): Promise<boolean> {
  if (state.status !== 'running') throw new Error(`it is ${state.status}`)
  return cancelMedia(upstreams, { ...way, upstream: state.upstream, cancellation: new Cancellation() })
}

async function filesOf(way: Way, state: MediaState) {
  if (state.status !== 'done') throw new Error(JSON.stringify(state))
  return Promise.all(
    state.files.map(async file => {
      const cancellation = new Cancellation()
      const { body } = await openMediaFile(upstreams, { ...way, file, maxBytes: 10_000_000, cancellation })
      return buffer(body)
    }),
  )
}

const models: [model: string, parameters: Record<string, unknown>, type: string, count?: number][] = [
  ['vendor_a/mural', { n: 2, aspect_ratio: '3:2' }, 'image/png', 2],
  ['vendor_a/mural-edit', { n: 1, image_urls: [png, png] }, 'image/png'],
  ['vendor_g/fresco', { quality: 'hd', aspect_ratio: '16:9' }, 'image/png'],
  ['vendor_g/fresco-edit', { n: 3, image_urls: [png] }, 'image/png', 3],
  ['vendor_c/vista', { n: 4, resolution: '2K', aspect_ratio: '21:9', seed: 7 }, 'image/png'],
  ['vendor_c/vista-edit', { image_urls: [png] }, 'image/png'],
  ['vendor_f/canvas', { n: 3, resolution: '2K', negative_prompt: 'fog' }, 'image/png', 3],
  ['vendor_f/canvas-fast', {}, 'image/png'],
  ['vendor_f/canvas-variation', { image_urls: [png] }, 'image/png'],
  ['vendor_h/brushwork', { n: 2, image_urls: [png] }, 'image/png'],
  ['vendor_h/lens', { resolution: '4K', image_urls: [png] }, 'image/png'],
  ['vendor_h/horizon', { aspect_ratio: '21:9', image_urls: [png] }, 'image/png'],
  ['vendor_h/collage', { image_urls: [png] }, 'image/png'],
  ['vendor_i/reel', { duration: 10 }, 'video/mp4'],
  ['vendor_i/reel-motion', { image_urls: ['https://example.com/a.png'] }, 'video/mp4'],
  ['vendor_i/troupe', { video_urls: ['https://example.com/a.mp4'] }, 'video/mp4'],
  ['vendor_j/sonora', { seed: 7 }, 'video/mp4'],
  ['vendor_j/likeness', { image_urls: [png], duration: '10', aspect_ratio: 'adaptive' }, 'video/mp4'],
  ['vendor_k/flipbook', {}, 'video/mp4'],
  ['vendor_k/tween', { image_urls: [png, png], bgm: true }, 'video/mp4'],
  ['vendor_l/ensemble-fast', { image_urls: ['https://example.com/a.png'], audio: true }, 'video/mp4'],
  ['vendor_l/ensemble', { image_urls: ['https://example.com/a.png'] }, 'video/mp4'],
  ['vendor_m/matinee', { duration: 12, resolution: '1080p', aspect_ratio: '9:16' }, 'video/mp4'],
  ['vendor_m/matinee-still', { image_urls: [png] }, 'video/mp4'],
  ['vendor_n/herald', { response_format: 'wav', voice: 'dune', speed: 1.5 }, 'audio/wav'],
  ['vendor_n/herald-fast', {}, 'audio/mpeg'],
  ['vendor_a/orator', { instructions: 'In a whisper.' }, 'audio/mpeg'],
  ['vendor_o/tempo', { duration: 10 }, 'audio/wav'],
  ['vendor_o/foley', { loop: true }, 'audio/wav'],
  ['vendor_p/ballad', { lyrics: 'la' }, 'audio/mpeg'],
]

test.each(models)('%s makes what it is asked for', async (model, parameters, type, count = 1) => {
  const way = anAttempt(model, parameters)
  const files = await filesOf(way, await finish(way))
  expect(files).toHaveLength(count)
  for (const file of files) expect(await fileTypeFromBuffer(file)).toMatchObject({ mime: type })
})

const byAddress = { image_urls: ['https://example.com/a.png'] }
const neededBy = (model: string) => (model === 'vendor_l/ensemble' ? byAddress : {})

test('a generation runs, tells its progress where its vendor does, and ends', async () => {
  const follow = async (model: string) => {
    const way = anAttempt(model, {
      prompt: 'A lighthouse [[fault: takes;ms=800]]',
      ...neededBy(model),
    })
    const first = await submit(way)
    await new Promise(resolve => setTimeout(resolve, 40))
    const second = await poll(way, first)
    expect(second).toMatchObject({ status: 'running' })
    const tells = model === 'vendor_m/matinee' || model === 'vendor_l/ensemble'
    const { progress } = second.status === 'running' ? second : {}
    if (tells) expect(progress).toSatisfy((percent: number) => percent > 0 && percent < 100)
    else expect(progress).toBeUndefined()
    await new Promise(resolve => setTimeout(resolve, 800))
    expect(await poll(way, second)).toMatchObject({ status: 'done' })
  }
  await Promise.all(['vendor_m/matinee', 'vendor_l/ensemble', 'vendor_i/reel', 'vendor_j/sonora'].map(follow))
})

const polled = ['m/matinee', 'l/ensemble', 'i/reel', 'j/sonora', 'k/flipbook'].map(name => `vendor_${name}`)

function aFaultyWay(model: string, fault: string): Way {
  return anAttempt(model, { prompt: `A lighthouse [[fault: ${fault}]]`, ...neededBy(model) })
}

describe.each(polled)('%s', model => {
  test('a generation that fails says why, and one that is refused that it was', async () => {
    const failing = aFaultyWay(model, 'fail')
    expect(await finish(failing)).toEqual({
      status: 'failed',
      code: 'generation_failed',
      message: 'The generation failed because of an internal error.',
    })
    const refused = aFaultyWay(model, 'refusal')
    expect(await finish(refused)).toMatchObject({
      status: 'failed',
      // One of the queues says it in words alone.
      code: model === 'vendor_k/flipbook' ? 'generation_failed' : 'content_policy',
      message: expect.stringContaining('policy'),
    })
  })

  test('a poll that fails says nothing of the generation', async () => {
    const way = aFaultyWay(model, 'poll;n=1;status=503')
    const state = await submit(way)
    await expect(poll(way, state)).rejects.toMatchObject({ name: 'UpstreamFailure' })
    expect((await poll(way, state)).status).toMatch(/^(running|done)$/)
  })

  test.each([
    ['it', 'six', 6, {}, 30_000],
    ['what a client waits for', 'three', 3, { isAwaited: true }, undefined],
  ])(
    'has failed once the vendor has not known %s %s times, and not before',
    async (_what, _times, times, options, pollAfterMs) => {
      const way = aFaultyWay(model, 'lost')
      let state = await submit(way)
      for (let unknown = 1; unknown < times; unknown++) {
        state = await poll(way, state, options)
        expect(state).toMatchObject({ status: 'running', pollAfterMs })
      }
      expect(await poll(way, state, options)).toMatchObject({ status: 'failed', code: 'upstream_lost' })
    },
  )

  test('is done where the vendor did not know it five times', async () =>
    expect((await finish(aFaultyWay(model, 'poll;n=5;status=404'))).status).toBe('done'))

  test('a vendor that is busy, broken, or refuses the credential or the request', async () => {
    const kindAt = async (fault: string) => {
      forgetFailures()
      const failure = await submit(aFaultyWay(model, fault)).catch((error: unknown) => error)
      if (!(failure instanceof UpstreamFailure)) throw failure
      return failure.kind
    }
    expect(await kindAt('429')).toBe('busy')
    for (const fault of ['500', 'cut', 'garbage']) expect(await kindAt(fault)).toBe('broken')
    forgetFailures()
    const way = anAttempt(model, neededBy(model))
    const target = { ...way.target, apiKey: 'sim-bad-secret-key' }
    const refused = await submit({ ...way, target }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ kind: 'auth' })
    expect(String(refused)).not.toContain('sim-bad-secret-key')
  })
})

test('a generation is cancelled where its vendor can, and where it has not ended', async () => {
  for (const [model, can] of [
    ['i/reel', true],
    ['k/flipbook', true],
    ['j/sonora', false],
    ['m/matinee', false],
  ] as const) {
    const way = aFaultyWay(`vendor_${model}`, 'stuck')
    const state = await submit(way)
    expect(await cancel(way, state)).toBe(can)
    expect(await cancel(way, state)).toBe(false)
    expect(await poll(way, state)).toMatchObject({ status: can ? 'failed' : 'running' })
  }
})

test('the same idempotency key starts one generation where the vendor honours it', async () => {
  const way = { ...anAttempt('vendor_i/reel'), idempotencyKey: 'task_1' }
  const [first, second] = [await submit(way), await submit(way)]
  expect(second).toEqual(first)
  expect(await submit({ ...way, idempotencyKey: 'task_2' })).not.toEqual(first)
  expect(simulator.calls.map(call => call.headers['idempotency-key'])).toEqual(['task_1', 'task_1', 'task_2'])
  const other = { ...anAttempt('vendor_k/flipbook'), idempotencyKey: 'task_1' }
  expect(await submit(other)).not.toEqual(await submit(other))
})

describe('a second try', () => {
  const withBudget = () => {
    upstreams = { ...upstreams, retries: { earn() {}, spend: () => true } }
  }

  test('is given to a vendor that is busy or says that it failed', async () => {
    withBudget()
    for (const fault of ['flaky;status=503;key=one', 'flaky;status=500;key=two']) {
      expect(await submit(aFaultyWay('vendor_k/flipbook', fault))).toMatchObject({ status: 'running' })
    }
    expect(simulator.calls).toHaveLength(4)
  })

  test('is not given where the connection broke and a generation may have begun', async () => {
    withBudget()
    await expect(submit(aFaultyWay('vendor_k/flipbook', 'cut'))).rejects.toMatchObject({ kind: 'broken' })
    expect(simulator.calls).toHaveLength(1)
  })

  test('is given there too where the vendor honours idempotency keys', async () => {
    withBudget()
    expect(await submit(aFaultyWay('vendor_i/reel', 'cut'))).toMatchObject({ status: 'running' })
    expect(new Set(simulator.calls.map(call => call.headers['idempotency-key'])).size).toBe(1)
  })

  test("is not given to a customer's own credential", async () => {
    withBudget()
    const way = aFaultyWay('vendor_k/flipbook', 'flaky;status=503;key=own')
    const own = { ...way, target: { ...way.target, byokId: 'b1' } }
    await expect(submit(own)).rejects.toMatchObject({ kind: 'busy', details: { byokId: 'b1' } })
  })
})

test('an image that is refused for what it shows is a mistake of the request, or has failed', async () => {
  const refused = (model: string) => submit(aFaultyWay(model, 'refusal'))
  const mistake = { kind: 'request', details: { code: 'moderation_blocked' } }
  await expect(refused('vendor_a/mural')).rejects.toMatchObject(mistake)
  expect(await refused('vendor_c/vista')).toMatchObject({
    status: 'failed',
    code: 'content_policy',
    message: 'The image was refused by the content policy.',
  })
})

test('fewer images than asked for are those that came', async () => {
  const fewer = anAttempt('vendor_f/canvas', { prompt: 'A [[fault: fewer;n=2]]', n: 4 })
  expect(await filesOf(fewer, await finish(fewer))).toHaveLength(2)
  const none = aFaultyWay('vendor_f/canvas', 'empty')
  expect(await finish(none)).toMatchObject({ status: 'failed', code: 'generation_failed' })
})

test('a client that leaves aborts the call at its vendor', async () => {
  const way = aFaultyWay('vendor_a/mural', 'hang')
  const cancellation = new Cancellation()
  const submitted = submitMedia(upstreams, { ...way, idempotencyKey: 'k', cancellation })
  setTimeout(() => cancellation.cancel(), 50)
  await expect(submitted).rejects.toMatchObject({ kind: 'aborted' })
  await expect.poll(() => simulator.calls.at(-1)?.aborted).toBe(true)
})

test('a call that must not be made any more is not made', async () => {
  const revoked = new Error('the key was revoked')
  const mayCall = () => Promise.reject(revoked)
  const call = {
    ...anAttempt('vendor_a/mural'),
    idempotencyKey: 'k',
    cancellation: new Cancellation(),
    mayCall,
  }
  await expect(submitMedia(upstreams, call)).rejects.toBe(revoked)
  expect(simulator.calls).toEqual([])
})

test('a vendor that keeps failing is not called for a while', async () => {
  for (let tries = 0; tries < 20; tries++)
    await submit(aFaultyWay('vendor_k/flipbook', '500')).catch(() => {})
  await expect(submit(anAttempt('vendor_k/flipbook'))).rejects.toMatchObject({ kind: 'circuit_open' })
})

describe('of what a hostile vendor answers', () => {
  async function answerOf(body: unknown, model = 'vendor_k/flipbook') {
    const vendor = forThisTest(await startVendor(response => answerJson(response, 200, body)))
    const way = anAttempt(model, neededBy(model))
    return submit({ ...way, target: { ...way.target, baseUrl: vendor.url, byokId: 'b1' } })
  }

  test.each([
    ['an id that is too long', { id: 'x'.repeat(10_000), status: 'starting' }],
    ['a file of our own', { status: 'succeeded', output: ['file:///etc/passwd'] }],
    ['too many files', { status: 'succeeded', output: Array(1_000).fill('https://example.com/1') }],
    ['too long a text', { logs: 'x'.repeat(5 << 20) }],
    ['too long a list', { logs: Array(600_000).fill(0) }],
  ])('%s is refused', async (_what, body) =>
    expect(answerOf({ id: 'x', ...body })).rejects.toMatchObject({ kind: 'broken' }),
  )

  test('names reach no prototype, and progress is a percentage', async () => {
    const inherits = JSON.parse('{"id": "x", "status": "starting", "__proto__": {"output": ["https://a"]}}')
    expect(await answerOf(inherits)).toMatchObject({ status: 'running', upstream: { id: 'x' } })
    const beyond = await answerOf(
      { task_id: 'x', status: 'Processing', progress: 1e300 },
      'vendor_l/ensemble',
    )
    expect(beyond).toMatchObject({ status: 'running', progress: 100 })
  })

  test('words with the credential in them are blanked', async () => {
    const state = await answerOf({ id: 'x', status: 'failed', error: 'your key sim-platform-key is odd' })
    expect(state).toMatchObject({ status: 'failed', message: 'your key *** is odd' })
  })
})
