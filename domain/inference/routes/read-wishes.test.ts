import { describe, expect, test } from 'vitest'
import { readWishes } from './read-wishes.ts'

const question = { model: 'vendor_a/atlas', messages: [{ role: 'user', content: 'Hi' }] }

test('a request without wishes keeps its body, the same object', () => {
  const read = readWishes(question, undefined)
  expect(read).toEqual({ body: question, wishes: undefined })
  expect(read.body).toBe(question)
})

test('wishes are read and left out of the body, which no vendor gets with them', () => {
  const provider = { order: ['openai'], max_price: { prompt: 2.5, completion: '10' }, sort: 'price' }
  expect(readWishes({ ...question, models: ['b', 'c'], provider }, 'true')).toEqual({
    body: question,
    wishes: {
      models: ['b', 'c'],
      provider,
      maxPrice: { prompt: 2_500_000_000n, completion: 10_000_000_000n },
      isAlone: true,
    },
  })
})

test('the first of `models` stands in for a missing model', () => {
  const { model: _, ...rest } = question
  expect(readWishes({ ...rest, models: ['vendor_b/lyric'] }, undefined).body).toMatchObject({
    model: 'vendor_b/lyric',
  })
})

test('values without effect are accepted, also in fields that are not supported', () => {
  const provider = { zdr: false, quantizations: [], preferred_max_latency: null, only: null }
  expect(readWishes({ ...question, models: null, provider }, undefined).wishes).toMatchObject({ models: [] })
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
    [{ provider: { max_price: { prompt: -1 } } }, 'provider.max_price.prompt'],
    [{ provider: { max_price: { prompt: 'cheap' } } }, 'provider.max_price.prompt'],
    [{ provider: { max_price: { prompt: 1e300 } } }, 'provider.max_price.prompt'],
    [{ provider: { max_price: { completion: 1e-12 } } }, 'provider.max_price.completion'],
    [{ provider: { max_price: { audio: 1 } } }, 'provider.max_price.audio'],
    [{ provider: { zdr: true } }, 'provider.zdr'],
    [JSON.parse('{"provider": {"__proto__": {"only": ["openai"]}}}'), 'provider.__proto__'],
    [JSON.parse('{"provider": {"constructor": true}}'), 'provider.constructor'],
  ])('%j', (fields, param) => {
    expect(() => readWishes({ ...question, ...fields }, undefined)).toThrow(
      expect.objectContaining({ errorName: 'invalid_request', details: expect.objectContaining({ param }) }),
    )
  })

  test('the header x-no-fallback', () => {
    expect(() => readWishes(question, 'maybe')).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ param: 'x-no-fallback' }) }),
    )
  })
})
