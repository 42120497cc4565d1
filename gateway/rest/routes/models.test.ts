import { beforeAll, describe, expect, test } from 'vitest'
import { applyCatalogue } from '../../../domain/models/apply-catalogue.ts'
import { aControlPlane } from '../../../test/harness/a-control-plane.ts'
import { anAccount, anApiKey } from '../../../test/harness/an-account.ts'
import { perFile } from '../../../test/harness/per-file.ts'
import { theCatalogue } from '../../../test/harness/the-catalogue.ts'

const statements: string[] = []
let token: string

const control = perFile(() => aControlPlane({}, { onStatement: statement => statements.push(statement) }))

beforeAll(async () => {
  await applyCatalogue(control.context, await theCatalogue())
  token = (await anApiKey(control.context, await anAccount(control.context))).text
})

const get = (path: string) => control.rest('GET', path, { token })

interface Listed {
  id: string
  name: string
  provider: string
  modality: string
}

const record = {
  id: expect.stringMatching(/^[a-z-]+\.[a-z0-9.-]+$/),
  name: expect.any(String),
  provider: expect.stringMatching(/^vendor_[a-r]$/),
  modality: expect.stringMatching(/^(video|image|audio|chat)$/),
  description: expect.any(String),
  tags: expect.any(Array),
  is_popular: expect.any(Boolean),
  is_active: true,
  created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
}

const rate = {
  of: expect.any(String),
  unit: expect.any(String),
  price: expect.any(Number),
  list_price: expect.any(Number),
  when: expect.toSatisfy(value => value === null || typeof value === 'object'),
  above_prompt_tokens: expect.toSatisfy(value => value === null || Number.isInteger(value)),
}

describe('the list of models', () => {
  test('is paged, and its pages contain every model once', async () => {
    const { status, body } = await get('/models')
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['data', 'page', 'per_page', 'total', 'total_pages'])
    expect(body).toMatchObject({ page: 1, per_page: 20, total_pages: Math.ceil(body.total / 20) })
    expect(body.total).toBeGreaterThanOrEqual(30)
    for (const model of body.data) expect(model).toEqual(record)

    const pages = await Promise.all(
      Array.from({ length: Math.ceil(body.total / 7) }, (_, index) =>
        get(`/models?page=${index + 1}&per_page=7`),
      ),
    )
    const ids = pages.flatMap(page => page.body.data.map(({ id }: Listed) => id))
    expect(new Set(ids).size).toBe(body.total)
    expect((await get('/models?page=1000')).body).toMatchObject({ data: [], total: body.total })
  })

  test('a repeated parameter means any of its values, and parameters combine', async () => {
    const listed = async (query: string): Promise<Listed[]> =>
      (await get(`/models?per_page=100&${query}`)).body.data
    const video = await listed('task=video')
    const audio = await listed('task=audio')
    expect(new Set(video.map(({ modality }) => modality))).toEqual(new Set(['video']))
    expect(await listed('task=video&task=audio')).toHaveLength(video.length + audio.length)

    const vendors = await listed('provider=vendor_a&provider=vendor_b')
    expect(new Set(vendors.map(({ provider }) => provider))).toEqual(new Set(['vendor_a', 'vendor_b']))
    const chat = await listed('provider=vendor_a&task=chat')
    expect(chat.every(({ provider, modality }) => provider === 'vendor_a' && modality === 'chat')).toBe(true)
    expect(chat.length).toBeGreaterThan(0)
  })

  test('finds words in names and descriptions', async () => {
    const { data } = (await get('/models?task=chat')).body
    const described = data.find(({ description }: { description: string }) => description.length > 0)
    const longest = described.description
      .split(/[^A-Za-z]+/)
      .toSorted((a: string, b: string) => b.length - a.length)[0]
    const byDescription = (await get(`/models?per_page=100&search=${longest}`)).body.data
    expect(byDescription.map(({ id }: Listed) => id)).toContain(described.id)
    const found = (await get(`/models?search=${encodeURIComponent(data[0].name)}`)).body
    expect(found.data.map(({ id }: Listed) => id)).toContain(data[0].id)
    expect(found.total).toBeLessThan(30)
    expect((await get('/models?search=nosuchword')).body).toMatchObject({
      data: [],
      total: 0,
      total_pages: 0,
    })
  })
})

describe('one model', () => {
  test('is found by its catalogue ID and by the encoded ID of inference requests, with parameters and prices', async () => {
    const { id, name } = (await get('/models?task=video')).body.data[0]
    const { status, body } = await get(`/models/${id}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      ...record,
      aliases: [],
      id,
      name,
      model: expect.stringMatching(/^vendor_[a-r]\//),
      parameters: expect.objectContaining({ type: 'object', properties: expect.any(Object) }),
      pricing: expect.objectContaining({ model_id: id, currency: 'USD' }),
    })
    expect((await get(`/models/${encodeURIComponent(body.model)}`)).body).toEqual(body)
    expect((await get(`/models/${encodeURIComponent(body.model)}/pricing`)).body).toEqual(body.pricing)
  })

  test('an unknown model returns 404', async () => {
    for (const path of ['/models/chat.nothing', '/models/chat.nothing/pricing']) {
      const { status, body } = await get(path)
      expect(status).toBe(404)
      expect(body).toMatchObject({ code: 404, error: { code: 'model_not_found' } })
    }
  })
})

describe('a quote', () => {
  const quote = (body: object) => control.rest('POST', '/pricing/quote', { token, body })

  test('of a chat model is exactly what its rates charge, term by term', async () => {
    const { rates, cache } = (await get('/models/chat.atlas/pricing')).body
    const priceOf = (kind: string) =>
      rates.find(
        (one: { of: string; above_prompt_tokens: number | null }) =>
          one.of === kind && one.above_prompt_tokens === null,
      ).price
    const counts = { prompt_tokens: 1_000, cached_tokens: 400, completion_tokens: 10 }
    const { status, body } = await quote({ model: 'vendor_a/atlas', ...counts })
    expect(status).toBe(200)
    const micros = 600 * priceOf('input') + 400 * cache.read + 10 * priceOf('output')
    expect(body.cost).toBeCloseTo(micros / 1e6, 12)
    const counted = body.cost_terms.map(({ label, quantity }: { label: string; quantity: number }) => [
      label,
      quantity,
    ])
    expect(counted.slice(0, 3)).toEqual([
      ['input', 600],
      ['cache_read', 400],
      ['output', 10],
    ])
  })

  test('of a video needs only the parameters with a price, and has the defaults of the others', async () => {
    const model = 'text-to-video.reel'
    expect((await get(`/models/${model}/pricing`)).body.priced_parameters).toEqual(['duration', 'resolution'])
    expect((await quote({ model })).body.cost).toBe(0.35)
    const { body } = await quote({ model, parameters: { duration: 10, resolution: '1080p' } })
    expect(body).toEqual({
      cost: 1.2,
      cost_terms: [{ label: 'video', quantity: 10, unit: 'second', rate: '0.12', amount: '1.2' }],
    })
  })

  test('needs none of several alternative parameters that have no price', async () => {
    expect((await quote({ model: 'reference-to-video.troupe' })).status).toBe(200)
  })

  test.each([
    [{ model: 'chat.nothing' }, 404, 'model'],
    [{ model: 'chat.atlas', prompt_tokens: -1 }, 422, 'prompt_tokens'],
    [{ model: 'chat.atlas', prompt_tokens: 5, cached_tokens: 6 }, 422, 'prompt_tokens'],
    [{ model: 'chat.atlas', service_tier: 'none such' }, 422, 'service_tier'],
    [{ model: 'chat.atlas', parameters: {} }, 422, 'parameters'],
    [{ model: 'text-to-video.reel', prompt_tokens: 5 }, 422, 'prompt_tokens'],
    [{ model: 'text-to-video.reel', parameters: [] }, 422, 'parameters'],
    [{ model: 'text-to-video.reel', parameters: { duration: 7 } }, 400, 'parameters.duration'],
    [{ model: 'text-to-speech.herald' }, 400, 'parameters.input'],
  ])('of %j is refused with %i, which names %s', async (body, status, param) => {
    const refused = await quote(body)
    expect([refused.status, refused.body.error.param]).toEqual([status, param])
  })
})

test('popular models are listed under data', async () => {
  const { status, body } = await get('/models/popular')
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['data'])
  expect(body.data.length).toBeGreaterThan(0)
  for (const model of body.data) expect(model).toEqual({ ...record, is_popular: true })
})

test('the price list has one record for each active model', async () => {
  const { body } = await get('/pricing')
  expect(Object.keys(body)).toEqual(['data'])
  expect(body.data).toHaveLength((await get('/models')).body.total)
  for (const pricing of body.data) {
    expect(pricing).toEqual({
      model_id: record.id,
      model: expect.stringMatching(/^vendor_[a-r]\/[a-z0-9._-]+$/),
      modality: record.modality,
      currency: 'USD',
      unit: expect.any(String),
      rates: expect.any(Array),
      periods: [],
      surcharges: expect.any(Array),
      service_tiers: [],
      priced_parameters: expect.any(Array),
      routes: [],
      discount: expect.toSatisfy(value => value === null || value.percent + value.charged_percent === 100),
      cache: expect.toSatisfy(value => value === null || value.minimum_tokens >= 0),
      updated_at: record.updated_at,
    })
    for (const one of [...pricing.rates, ...pricing.surcharges]) expect(one).toEqual(rate)
  }
  const cached = body.data.find(({ cache }: { cache: object | null }) => cache !== null)
  expect(Object.keys(cached.cache)).toEqual(['read', 'write', 'minimum_tokens'])
})

test('the prices of a page of models need one additional statement', async () => {
  const query = '{ models(first: 30) { totalCount nodes { name pricing { rates { price } } } } }'
  await control.graph(query, { token }) // models that are not known yet take one more
  statements.length = 0
  const { data } = await control.graph(query, { token })
  expect(data.models.nodes).toHaveLength(30)
  expect(data.models.nodes[29].pricing.rates.length).toBeGreaterThan(0)
  expect(statements.filter(statement => statement.includes('from models'))).toHaveLength(3) // count, page, prices
})
