import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { aControlPlane, type ControlPlane } from '../harness/a-control-plane.ts'
import { theCatalogue } from '../harness/the-catalogue.ts'

// The tables "Models" of the interface, row by row: each test is named after its row.

let control: ControlPlane
let token: string

beforeAll(async () => {
  control = await aControlPlane()
  await applyCatalogue(control.context, await theCatalogue())
  const person = await control.aPerson()
  token = (await control.rest('POST', '/api-keys', { token: person.token, body: { name: 'reader' } })).body
    .key
})
afterAll(() => control.close())

const get = async (path: string) => control.rest('GET', path, { token })

interface ModelRecord {
  id: string
  name: string
  provider: string
  modality: string
  description: string
  tags: string[]
  is_popular: boolean
  is_active: boolean
  created_at: string
  updated_at: string
}

const list = async (query = ''): Promise<{ data: ModelRecord[]; total: number }> =>
  (await get(`/models?per_page=100${query}`)).body

const labels = Array.from({ length: 18 }, (_, index) => `vendor_${String.fromCharCode(97 + index)}`)
const modalities = ['video', 'image', 'audio', 'chat']

describe('model fields', () => {
  test.each<[row: string, check: (model: ModelRecord) => boolean]>([
    ['id: catalogue id of the form <task>.<model_slug>', ({ id }) => /^[a-z0-9-]+\.[a-z0-9._-]+$/.test(id)],
    ['name: display name', ({ name }) => name.length > 0],
    ['provider: one of a fixed set of 18 labels', ({ provider }) => labels.includes(provider)],
    ['modality: video, image, audio, chat', ({ modality }) => modalities.includes(modality)],
    ['description: string', ({ description }) => typeof description === 'string'],
    ['tags: string[]', ({ tags }) => Array.isArray(tags) && tags.every(tag => typeof tag === 'string')],
    ['is_popular: boolean', ({ is_popular }) => typeof is_popular === 'boolean'],
    ['is_active: boolean; only active models are listed', ({ is_active }) => is_active],
    ['created_at: timestamp', ({ created_at }) => !Number.isNaN(Date.parse(created_at))],
    ['updated_at: timestamp', ({ updated_at }) => !Number.isNaN(Date.parse(updated_at))],
  ])('%s', async (_, check) => {
    const { data } = await list()
    expect(data.length).toBeGreaterThan(20)
    expect(data.filter(model => !check(model))).toEqual([])
  })

  test('a record has these fields and no other', async () => {
    const { data } = await list()
    expect(Object.keys(data[0]!)).toEqual([
      'id',
      'name',
      'provider',
      'modality',
      'description',
      'tags',
      'is_popular',
      'is_active',
      'created_at',
      'updated_at',
    ])
  })
})

describe('GET /api/v1/models: paginated list', () => {
  test.each(modalities)('task: %s', async task => {
    const { data } = await list(`&task=${task}`)
    expect(data.length).toBeGreaterThan(0)
    expect(new Set(data.map(({ modality }) => modality))).toEqual(new Set([task]))
  })

  test('task: repeat the parameter for OR', async () => {
    const [both, video, image] = [
      await list('&task=video&task=image'),
      await list('&task=video'),
      await list('&task=image'),
    ]
    expect(both.total).toBe(video.total + image.total)
  })

  test('provider: one of 18 fixed vendor labels; repeat for OR', async () => {
    const [both, one, other] = [
      await list('&provider=vendor_a&provider=vendor_b'),
      await list('&provider=vendor_a'),
      await list('&provider=vendor_b'),
    ]
    expect(new Set(one.data.map(({ provider }) => provider))).toEqual(new Set(['vendor_a']))
    expect(both.total).toBe(one.total + other.total)
    for (const label of labels) expect((await get(`/models?provider=${label}`)).status).toBe(200)
    expect(await get('/models?provider=vendor_z')).toMatchObject({
      status: 422,
      body: { error: { param: 'provider' } },
    })
  })

  test('search: full-text search in name and description', async () => {
    const { data } = await list()
    const described = data.find(({ description }) => description.split(' ').length > 4)!
    const word = described.description.split(/[^A-Za-z]+/).sort((a, b) => b.length - a.length)[0]!
    const named = data.find(({ name }) => /^[A-Za-z]{4,}/.test(name))!
    const first = /^[A-Za-z]+/.exec(named.name)![0]
    expect((await list(`&search=${word}`)).data.map(({ id }) => id)).toContain(described.id)
    expect((await list(`&search=${first}`)).data.map(({ id }) => id)).toContain(named.id)
    expect((await list('&search=zzzznothing')).data).toEqual([])
  })

  test('page: 1-based, default 1; per_page: default 20', async () => {
    const [plain, first, second] = [
      await get('/models'),
      await get('/models?page=1'),
      await get('/models?page=2'),
    ]
    expect(plain.body).toMatchObject({ page: 1, per_page: 20 })
    expect(plain.body.data).toHaveLength(20)
    expect(first.body).toEqual(plain.body)
    expect(second.body.data[0].id).not.toBe(plain.body.data[0].id)
    expect((await get('/models?page=0')).status).toBe(422)
  })

  test('response: {data, page, per_page, total, total_pages}', async () => {
    const { body } = await get('/models?per_page=7')
    expect(Object.keys(body)).toEqual(['data', 'page', 'per_page', 'total', 'total_pages'])
    expect(body.total_pages).toBe(Math.ceil(body.total / 7))
  })
})

describe('one model', () => {
  test('GET /api/v1/models/{model_id}: metadata, with model, parameters and pricing', async () => {
    const [record] = (await list('&task=video')).data
    const { status, body } = await get(`/models/${record!.id}`)
    expect(status).toBe(200)
    expect(body).toMatchObject(record!)
    expect(body.model).toMatch(/^vendor_[a-r]\/.+/)
    expect(body.parameters).toMatchObject({ type: 'object', properties: expect.any(Object) })
    expect(body.pricing).toMatchObject({ model_id: record!.id, currency: 'USD' })
    expect((await get('/models/chat.nothing')).status).toBe(404)
  })

  test('GET /api/v1/models/popular: curated list of recommended models', async () => {
    const { status, body } = await get('/models/popular')
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['data'])
    expect(body.data.length).toBeGreaterThan(0)
    expect(body.data.every(({ is_popular }: ModelRecord) => is_popular)).toBe(true)
  })

  const pricingFields = [
    'model_id',
    'model',
    'modality',
    'currency',
    'unit',
    'rates',
    'surcharges',
    'discount',
    'cache',
    'updated_at',
  ]

  test('GET /api/v1/models/{model_id}/pricing: pricing of one model', async () => {
    const [record] = (await list('&task=chat')).data
    const { status, body } = await get(`/models/${record!.id}/pricing`)
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(pricingFields)
    expect(body.model_id).toBe(record!.id)
  })

  test('GET /api/v1/pricing: pricing of all active models', async () => {
    const { status, body } = await get('/pricing')
    expect([status, Object.keys(body)]).toEqual([200, ['data']])
    expect(body.data).toHaveLength((await list()).total)
    for (const price of body.data) expect(Object.keys(price)).toEqual(pricingFields)
  })

  test('model identifiers used in inference requests have the form <vendor>/<model_name>', async () => {
    const { body } = await get('/pricing')
    for (const { model } of body.data) expect(model).toMatch(/^vendor_[a-r]\/[a-z0-9._-]+$/)
  })
})

test('cached tokens: rates appear on the pricing record when defined', async () => {
  const { body } = await get('/pricing')
  const cached = body.data.filter(({ cache }: { cache: unknown }) => cache !== null)
  expect(cached.length).toBeGreaterThan(0)
  for (const { cache } of cached) expect(Object.keys(cache)).toEqual(['read', 'write', 'minimum_tokens'])
})
