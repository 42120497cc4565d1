import { describe, expect, test } from 'vitest'
import { readPreferences } from './read-preferences.ts'

const question = { model: 'vendor_a/atlas', messages: [{ role: 'user', content: 'Hi' }] }

test('a request without preferences keeps its body, the same object', () => {
  const read = readPreferences(question, undefined)
  expect(read).toEqual({ body: question, preferences: undefined })
  expect(read.body).toBe(question)
})

test('preferences are read and removed from the body, so that no vendor gets them', () => {
  const provider = { order: ['openai'], max_price: { prompt: 2.5, completion: '10' }, sort: 'price' }
  expect(readPreferences({ ...question, models: ['b', 'c'], provider }, 'true')).toEqual({
    body: question,
    preferences: {
      models: ['b', 'c'],
      provider,
      maxPrice: { prompt: 2_500_000_000n, completion: 10_000_000_000n },
      sort: 'price',
      hasNoFallback: true,
    },
  })
})

test.each([undefined, null])('the first of `models` stands in for model: %s', model => {
  expect(readPreferences({ ...question, model, models: ['vendor_b/lyric'] }, undefined).body).toMatchObject({
    model: 'vendor_b/lyric',
  })
})

test('the former field `usage` is removed from the body, and is no preference', () => {
  const read = readPreferences({ ...question, usage: { include: true } }, undefined)
  expect(read).toEqual({ body: question, preferences: undefined })
})

test('sort is a measure, or an object that names it', () => {
  for (const sort of ['latency', { by: 'latency' }, { by: 'latency', partition: 'model' }])
    expect(readPreferences({ ...question, provider: { sort } }, undefined).preferences).toMatchObject({
      sort: 'latency',
    })
})

test('values without effect are accepted, also in fields that are not supported', () => {
  const provider = { zdr: false, quantizations: [], preferred_max_latency: null, only: null }
  expect(readPreferences({ ...question, models: null, provider }, undefined).preferences).toMatchObject({
    models: [],
  })
})

describe('what cannot be honoured is refused by its name', () => {
  const many = Array.from({ length: 1_000 }, () => 'openai')
  test.each<[object, string]>([
    [{ models: many }, 'models'],
    [{ models: 'vendor_b/lyric' }, 'models'],
    [{ models: [7] }, 'models[0]'],
    [{ models: [''] }, 'models[0]'],
    [{ provider: 'openai' }, 'provider'],
    [{ provider: { order: many } }, 'provider.order'],
    [{ provider: { only: [{}] } }, 'provider.only[0]'],
    [{ provider: { ignore: {} } }, 'provider.ignore'],
    [{ provider: { allow_fallbacks: 'no' } }, 'provider.allow_fallbacks'],
    [{ provider: { data_collection: 'never' } }, 'provider.data_collection'],
    [{ provider: { sort: 'beauty' } }, 'provider.sort'],
    [{ provider: { sort: { by: 'beauty' } } }, 'provider.sort.by'],
    [{ provider: { sort: { by: 'price', partition: 'none' } } }, 'provider.sort.partition'],
    [{ provider: { sort: { by: 'price', reverse: true } } }, 'provider.sort.reverse'],
    [{ provider: { max_price: { prompt: -1 } } }, 'provider.max_price.prompt'],
    [{ provider: { max_price: { prompt: 'cheap' } } }, 'provider.max_price.prompt'],
    [{ provider: { max_price: { prompt: 1e300 } } }, 'provider.max_price.prompt'],
    [{ provider: { max_price: { completion: 1e-12 } } }, 'provider.max_price.completion'],
    [{ provider: { max_price: { audio: 1 } } }, 'provider.max_price.audio'],
    [{ provider: { zdr: true } }, 'provider.zdr'],
    [JSON.parse('{"provider": {"__proto__": {"only": ["openai"]}}}'), 'provider.__proto__'],
    [JSON.parse('{"provider": {"constructor": true}}'), 'provider.constructor'],
  ])('%j', (fields, param) => {
    expect(() => readPreferences({ ...question, ...fields }, undefined)).toThrow(
      expect.objectContaining({ errorName: 'invalid_request', details: expect.objectContaining({ param }) }),
    )
  })

  test('the header x-no-fallback', () => {
    expect(() => readPreferences(question, 'maybe')).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ param: 'x-no-fallback' }) }),
    )
  })
})
