import { beforeEach, describe, expect, test } from 'vitest'
import { aClient, type TestClient } from '../harness/a-client.ts'
import { balanceOf, logsOf } from '../harness/invariants.ts'
import { theMediaEdge } from '../harness/media/a-media-edge.ts'
import { aDataUri } from '../harness/media/media-files.ts'

const system = theMediaEdge()

let client: TestClient
beforeEach(async () => {
  system.simulator.reset()
  client = await aClient(system, { creditNanos: 10_000_000_000n })
})

const spent = async () => 10_000_000_000n - (await balanceOf(system.context.sql, client.accountId)).credits
const dollars = (amount: number) => BigInt(Math.round(amount * 1e9))
const lastLog = async () => (await logsOf(system, client)).at(-1)!

/** The bytes at a URL of the response. */
async function served(url: string | undefined) {
  const response = await fetch(url!)
  const content = Buffer.from(await response.arrayBuffer())
  return { status: response.status, type: response.headers.get('content-type'), content }
}

const ask = (body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  client.post('/images/generations', { prompt: 'A cat', ...body }, headers)

const textToImage = [
  ['vendor_a/mural', { n: 2, quality: 'low' }, 0.022, 2],
  ['vendor_c/vista', { n: 3, resolution: '2K' }, 0.402, 3],
  ['vendor_f/canvas', { n: 2, resolution: '4K', aspect_ratio: '16:9' }, 0.24, 2],
  ['vendor_f/canvas-fast', {}, 0.003, 1],
  ['vendor_g/fresco', { n: 2, quality: 'hd', aspect_ratio: '16:9', style: 'natural' }, 0.24, 2],
] as const

test.each(textToImage)(
  '%s makes images from text, stored by us and priced by what was asked for',
  async (model, given, price, count) => {
    const { created, data } = await client.openai.images.generate({
      model,
      prompt: 'A cat',
      ...given,
    } as never)
    expect(created).toBeCloseTo(Date.now() / 1000, -2)
    expect(data).toHaveLength(count)
    for (const { url } of data ?? []) {
      expect(url).toContain(`${system.config.mediaUrl}/results/`)
      expect(await served(url)).toMatchObject({ status: 200, type: 'image/png' })
    }
    expect(await spent()).toBe(dollars(price))
    expect(await lastLog()).toMatchObject({
      route: 'images.generations',
      model,
      vendor: model.split('/')[0],
      status: 200,
      cost_nanos: dollars(price),
      byok_id: null,
    })
    expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({ in_use: 0n })
  },
)

const fromImages = [
  ['vendor_f/canvas-variation', { image_urls: 2, resolution: '2K' }, 0.055],
  ['vendor_g/fresco-edit', { image_urls: 2 }, 0.046],
  ['vendor_a/mural-edit', { image_urls: 2, quality: 'low' }, 0.021],
  ['vendor_c/vista-edit', { image_urls: 1 }, 0.1351],
  ['vendor_h/brushwork', { image_urls: 1 }, 0.05],
  ['vendor_h/lens', { image_urls: 1, resolution: '4K' }, 0.06],
  ['vendor_h/horizon', { image_urls: 1, aspect_ratio: '21:9' }, 0.05],
  ['vendor_h/collage', { image_urls: 3 }, 0.045],
] as const

test.each(fromImages)(
  '%s makes an image of others: data, an upload, an address',
  async (model, { image_urls: count, ...given }, price) => {
    const upload = await client.openai.post<{ url: string }>('/uploads', { body: { file: aDataUri('jpg') } })
    const image_urls = [upload.url, aDataUri('png'), aDataUri('webp')].slice(0, count)
    const response = await ask({ model, image_urls, ...given })
    const body = (await response.json()) as { data: { url: string }[] }
    expect(response.status, JSON.stringify(body)).toBe(200)
    expect(await served(body.data[0]?.url)).toMatchObject({ status: 200, type: 'image/png' })
    expect(await spent()).toBe(dollars(price))
  },
)

test('what a request carries is stored for vendors that fetch, and no vendor is sent it inline', async () => {
  await ask({ model: 'vendor_h/lens', image_urls: [aDataUri('png')] })
  const call = system.simulator.calls.find(({ method }) => method === 'POST')!
  expect(JSON.stringify(call.body)).toContain(`${system.config.mediaUrl}/inputs/`)
  expect(JSON.stringify(call.body)).not.toContain('data:')
})

test.each(['vendor_a/mural', 'vendor_f/canvas', 'vendor_g/fresco'])(
  'the images themselves are in the answer of %s where b64_json asks for them',
  async model => {
    const { data } = await client.openai.images.generate({
      model,
      prompt: 'A cat',
      response_format: 'b64_json',
    })
    const [image] = data ?? []
    expect(image?.url).toBeUndefined()
    expect(Buffer.from(image!.b64_json!, 'base64').subarray(1, 4).toString()).toBe('PNG')
    expect(
      await system.context.sql`select 1 from media_files where account_id = ${client.accountId}`,
    ).toHaveLength(0)
  },
)

test.each([
  ['1024x1024', '1:1'],
  ['1792x1024', '16:9'],
  ['1024x1792', '9:16'],
])("OpenAI's size %s is the shape %s", async (size, shape) => {
  await client.openai.images.generate({ model: 'vendor_g/fresco', prompt: 'A cat', size: size as never })
  expect(system.simulator.calls.at(-1)?.body ?? system.simulator.calls[0]?.body).toBeDefined()
  const call = system.simulator.calls.find(({ path }) => path.endsWith('/images/generations'))
  expect(call?.body).toMatchObject({ size })
  expect(await spent()).toBe(dollars(shape === '1:1' ? 0.04 : 0.06))
})

test.each(['vendor_a/mural', 'vendor_f/canvas', 'vendor_g/fresco'])(
  '%s accepts auto for every choice that OpenAI has',
  async model => {
    const auto = { size: 'auto', quality: 'auto', background: 'auto', moderation: 'auto' } as const
    const { data } = await client.openai.images.generate({ model, prompt: 'auto', ...auto })
    expect(data).toHaveLength(1)
  },
)

describe('a request that is not valid', () => {
  const [canvas, lens] = [{ model: 'vendor_f/canvas' }, { model: 'vendor_h/lens' }]

  test.each([
    [{}, 'model', 'missing_parameter', /^model is required\.$/],
    [{ model: 7 }, 'model', 'invalid_request', /^model must be a string\.$/],
    [{ model: 'vendor_a/atlas' }, 'model', 'model_not_found', /./],
    [
      { ...canvas, resolution: '8K' },
      'resolution',
      'invalid_request',
      /^resolution must be one of 1K, 2K, 4K\.$/,
    ],
    [{ ...canvas, stream: true }, 'stream', 'unsupported_parameter', /^The model does not take stream\.$/],
    [
      { ...canvas, response_format: 'png' },
      'response_format',
      'invalid_request',
      /must be one of url, b64_json/,
    ],
    [
      { ...canvas, size: '1024x200' },
      'size',
      'invalid_request',
      /WIDTHxHEIGHT in one of the aspect ratios 1:1/,
    ],
    [
      { ...canvas, size: '1024x1024', aspect_ratio: '16:9' },
      'size',
      'invalid_request',
      /contradict each other/,
    ],
    [{ ...lens, image_urls: [aDataUri('png'), aDataUri('png')] }, 'image_urls', 'invalid_request', /./],
    [
      { ...lens, image_urls: [`data:image/png;base64,${Buffer.from('<html>').toString('base64')}`] },
      'image_urls[0]',
      'invalid_request',
      /must be an image/,
    ],
  ])('%j names %s', async (given, param, code, message) => {
    const response = await ask(given)
    const { error } = (await response.json()) as { error: object }
    expect(error).toMatchObject({ param, code, message: expect.stringMatching(message) })
    expect([400, 404]).toContain(response.status)
    expect(system.simulator.calls).toEqual([])
    expect(await spent()).toBe(0n)
  })
})

test('what the balance does not cover is not begun, and what the cap does not cover neither', async () => {
  const poor = await aClient(system, { creditNanos: dollars(0.11) })
  const refused = await poor.post('/images/generations', {
    model: 'vendor_f/canvas',
    prompt: 'x',
    resolution: '4K',
  })
  expect([refused.status, await refused.json()]).toMatchObject([
    402,
    { error: { code: 'insufficient_credits' } },
  ])
  expect(await logsOf(system, poor)).toMatchObject([{ status: 402, error_code: 'insufficient_credits' }])
  const capped = await aClient(system, { limitNanos: dollars(0.05) })
  const second = await capped.post('/images/generations', { model: 'vendor_f/canvas', prompt: 'x', n: 2 })
  expect([second.status, await second.json()]).toMatchObject([
    402,
    { error: { code: 'credit_limit_reached' } },
  ])
  expect(system.simulator.calls).toEqual([])
  const fits = await poor.post('/images/generations', { model: 'vendor_f/canvas', prompt: 'x', n: 3 })
  expect(fits.status).toBe(200)
})

test('under an Idempotency-Key: there is one generation, one charge and one answer', async () => {
  const headers = { 'idempotency-key': 'cat' }
  const body = { model: 'vendor_f/canvas', n: 2 }
  const tries = await Promise.all([1, 2, 3].map(() => ask(body, headers)))
  const answers = await Promise.all(tries.map(response => response.json()))
  expect(answers[1]).toEqual(answers[0])
  expect(answers[2]).toEqual(answers[0])
  expect(await (await ask(body, headers)).json()).toEqual(answers[0])
  expect((await ask({ ...body, n: 1 }, headers)).status).toBe(409)
  expect(system.simulator.calls.filter(({ method }) => method === 'POST')).toHaveLength(1)
  expect(await spent()).toBe(dollars(0.06))
})

test('every image request counts in the rates of its key', async () => {
  const limited = await aClient(system, { rpm: 1 })
  const body = { model: 'vendor_f/canvas-fast', prompt: 'x' }
  expect((await limited.post('/images/generations', body)).status).toBe(200)
  expect((await limited.post('/images/generations', body)).status).toBe(429)
})
