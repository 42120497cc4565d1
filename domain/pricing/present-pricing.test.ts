import { expect, test } from 'vitest'
import { theCatalogue } from '../../test/harness/the-catalogue.ts'
import { openPresenter, type PricingRecord } from './present-pricing.ts'

const { models } = await theCatalogue()
const updatedAt = new Date('2026-10-01T12:00:00Z')
const presentNow = openPresenter((pricing: PricingRecord) => pricing)
const entryOf = (id: string) => models.find(entry => entry.id === id)!
const clock = { now: () => Date.parse('2026-10-01T12:00:00Z') }
const present = (id: string) => presentNow(clock, { entry: entryOf(id), updatedAt })

test('a video record has tiers by parameter values, and surcharges', () => {
  expect(present('reference-to-video.ensemble-fast')).toEqual({
    model_id: 'reference-to-video.ensemble-fast',
    model: 'vendor_l/ensemble-fast',
    modality: 'video',
    currency: 'USD',
    unit: 'second',
    rates: [
      {
        of: 'video',
        unit: 'second',
        price: 0.04,
        list_price: 0.04,
        when: { resolution: '540p' },
        above_prompt_tokens: null,
      },
      {
        of: 'video',
        unit: 'second',
        price: 0.06,
        list_price: 0.06,
        when: { resolution: '720p' },
        above_prompt_tokens: null,
      },
      {
        of: 'video',
        unit: 'second',
        price: 0.12,
        list_price: 0.12,
        when: { resolution: '1080p' },
        above_prompt_tokens: null,
      },
    ],
    periods: [],
    surcharges: [
      {
        of: 'audio',
        unit: 'video',
        price: 0.064,
        list_price: 0.064,
        when: { audio: true },
        above_prompt_tokens: null,
      },
    ],
    service_tiers: [],
    routes: [],
    discount: null,
    cache: null,
    updated_at: '2026-10-01T12:00:00.000Z',
  })
})

test('a discounted record has the price that is charged and the list price', () => {
  const { rates, discount } = present('reference-to-video.ensemble')
  expect(rates).toEqual([
    { of: 'video', unit: 'video', price: 0.34, list_price: 0.4, when: null, above_prompt_tokens: null },
  ])
  expect(discount).toEqual({ percent: 15, charged_percent: 85 })
})

test('a chat record has tiers by prompt length, and the cache', () => {
  const { unit, rates, cache } = present('chat.lyric')
  expect(unit).toBe('1M tokens')
  expect(rates.map(({ of, price, above_prompt_tokens }) => [of, price, above_prompt_tokens])).toEqual([
    ['input', 3, null],
    ['cache_read', 0.3, null],
    ['cache_write', 3.75, null],
    ['output', 15, null],
    ['input', 6, 200_000],
    ['cache_read', 0.6, 200_000],
    ['cache_write', 7.5, 200_000],
    ['output', 22.5, 200_000],
  ])
  expect(cache).toEqual({ read: 0.3, write: 3.75, minimum_tokens: 1024 })
  expect(present('chat.atlas').cache).toEqual({ read: 0.125, write: null, minimum_tokens: 1024 })
  expect(present('chat.quill').cache).toBeNull()
})

test('a record has the prices at the other vendors of its model, which are the same unless declared', () => {
  const entry = entryOf('chat.atlas')
  if (entry.modality !== 'chat') throw new Error('not a chat model')
  const prices = {
    rates: [{ of: 'input' as const, price: '2 per 1M tokens' }],
    surcharges: [],
    discount: '10 %',
  }
  const upstream = { model: 'atlas' }
  const routes = [
    { vendor: 'vendor_f', upstream, prices },
    { vendor: 'vendor_g', upstream },
  ]
  const record = presentNow(clock, { entry: { ...entry, routes }, updatedAt })
  expect(record.routes).toMatchObject([
    { vendor: 'vendor_f', rates: [{ of: 'input', price: 1.8, list_price: 2 }], discount: { percent: 10 } },
    { vendor: 'vendor_g', rates: record.rates, discount: null },
  ])
})

test('a record has the rates of the present and those of every period, and follows the clock', () => {
  const rates = (dollars: number) => [{ price: `${dollars} per image` }]
  const prices = {
    rates: [],
    periods: [
      { until: '2027-01-01', rates: rates(0.02) },
      { from: '2027-01-01', hours: ['00:00-24:00'], rates: rates(0.04) },
    ],
    surcharges: [],
  }
  const image = entryOf('text-to-image.canvas')
  if (image.modality === 'chat') throw new Error('not an image model')
  const record = { entry: { ...image, prices }, updatedAt }
  const before = presentNow(clock, record)
  expect(before.rates).toMatchObject([{ of: 'image', unit: 'image', price: 0.02 }])
  expect(before.periods).toMatchObject([
    { from: null, until: '2027-01-01', hours: null, rates: [{ price: 0.02 }] },
    { from: '2027-01-01', until: null, hours: ['00:00-24:00'], rates: [{ price: 0.04 }] },
  ])
  const after = presentNow({ now: () => Date.parse('2027-01-01') }, record)
  expect(after.rates).toMatchObject([{ price: 0.04 }])
})
