import { expect, test } from 'vitest'
import { Problem } from '../../../schema/errors.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { aChatEntry } from '../../../test/harness/a-chat-call.ts'
import type { ChatModel, ModelCache } from '../../models/model-cache.ts'
import { compileChatPrice } from '../../pricing/compile-chat-price.ts'
import { chooseModels } from './choose-models.ts'
import { readWishes } from './read-wishes.ts'

const all = [
  'vendor_a/atlas',
  'vendor_a/atlas-mini',
  'vendor_a/atlas-thinker',
  'vendor_b/lyric',
  'vendor_c/prism-flash',
].map((model): ChatModel => {
  const entry = aChatEntry(model)
  return { entry, price: compileChatPrice(entry.prices) }
})
const modelOf = (name: string) => all.find(({ entry }) => entry.model === name)!

/** A catalogue in which the model vendor_a/atlas falls back to vendor_b/lyric, and vendor_c keeps nothing. */
const models = {
  chat(name: string) {
    const found = all.find(({ entry }) => entry.model === name)
    if (!found) throw new Problem('model_not_found')
    return found
  },
  fallbacks: ({ entry }: ChatModel) => (entry.model === 'vendor_a/atlas' ? [modelOf('vendor_b/lyric')] : []),
  vendor: (label: string) => ({ label, data_collection: label === 'vendor_c' ? 'deny' : undefined }),
  vendorNamed: (name: string) =>
    new Map(['vendor_a', 'vendor_b', 'vendor_c'].map(label => [label, { label }])).get(
      name === 'openai' ? 'vendor_a' : name,
    ),
} as unknown as ModelCache

interface Asked {
  model?: string
  request?: Partial<ChatRequest> & { new_field?: number }
  alone?: string
  [field: string]: unknown
}

function chosen({ model = 'vendor_a/atlas', request = {}, alone, ...fields }: Asked): string[] {
  const { wishes } = readWishes({ model, ...fields }, alone)
  const asked = {
    model: modelOf(model),
    request: { model, messages: [], ...request },
    wishes: wishes!,
    promptTokens: 1_000,
    namedTokens: undefined,
  }
  return chooseModels(models, asked).map(({ entry }) => entry.model)
}

const refusal = (asked: Asked) => {
  try {
    return chosen(asked)
  } catch (error) {
    return Reflect.get(error as object, 'details')?.param ?? error
  }
}

test('the named models replace the fallbacks of the catalogue, each once', () => {
  expect(chosen({ provider: {} })).toEqual(['vendor_a/atlas', 'vendor_b/lyric'])
  expect(chosen({ models: ['vendor_c/prism-flash', 'vendor_a/atlas', 'vendor_c/prism-flash'] })).toEqual([
    'vendor_a/atlas',
    'vendor_c/prism-flash',
  ])
})

test('a model that does not exist is refused by its place in the list', () => {
  for (const name of ['vendor_z/none', '__proto__'])
    expect(refusal({ models: ['vendor_b/lyric', name] })).toBe('models[1]')
})

test('vendors are chosen by label or alias; a name that is none is refused, whatever it is', () => {
  const everything = { models: ['vendor_b/lyric', 'vendor_c/prism-flash'] }
  expect(chosen({ ...everything, provider: { only: ['vendor_c', 'openai'] } })).toEqual([
    'vendor_a/atlas',
    'vendor_c/prism-flash',
  ])
  expect(chosen({ ...everything, provider: { ignore: ['openai'] } })).toEqual([
    'vendor_b/lyric',
    'vendor_c/prism-flash',
  ])
  for (const name of ['deepsek', '__proto__', 'constructor', ''])
    expect(refusal({ provider: { ignore: ['openai', name] } })).toBe('provider.ignore[1]')
})

test('what leaves no requested model is refused by its field, also if a fallback of the catalogue would fit', () => {
  expect(refusal({ provider: { only: ['vendor_b'] } })).toBe('provider.only')
  expect(refusal({ provider: { ignore: ['openai'] } })).toBe('provider.ignore')
  expect(refusal({ provider: { order: ['vendor_b'], allow_fallbacks: false } })).toBe('provider.order')
  expect(refusal({ provider: { data_collection: 'deny' } })).toBe('provider.data_collection')
  expect(refusal({ provider: { max_price: { prompt: 1.24 } } })).toBe('provider.max_price')
})

test('wishes also filter the fallbacks of the catalogue', () => {
  expect(chosen({ provider: { only: ['openai'] } })).toEqual(['vendor_a/atlas'])
  expect(chosen({ provider: { max_price: { completion: 10 } } })).toEqual(['vendor_a/atlas'])
  expect(chosen({ provider: { allow_fallbacks: false } })).toEqual(['vendor_a/atlas'])
  expect(chosen({ alone: 'true' })).toEqual(['vendor_a/atlas'])
  expect(chosen({ alone: 'false' })).toEqual(['vendor_a/atlas', 'vendor_b/lyric'])
})

test('vendors that declare to keep nothing are the only ones for data_collection: deny', () => {
  expect(chosen({ models: ['vendor_c/prism-flash'], provider: { data_collection: 'deny' } })).toEqual([
    'vendor_c/prism-flash',
  ])
})

test('max_price is in dollars per million tokens, and includes its limit', () => {
  expect(chosen({ models: [], provider: { max_price: { prompt: 1.25, completion: '10' } } })).toEqual([
    'vendor_a/atlas',
  ])
  expect(refusal({ provider: { max_price: { completion: '9.999999999' } } })).toBe('provider.max_price')
  expect(chosen({ provider: { max_price: { prompt: '1.25', image: 0, request: 0 } } })).toEqual([
    'vendor_a/atlas',
  ])
})

test('require_parameters keeps the models that drop no parameter', () => {
  const wish = {
    models: ['vendor_a/atlas-thinker', 'vendor_b/lyric'],
    provider: { require_parameters: true },
  }
  expect(chosen({ ...wish, request: { temperature: 0.5 } })).not.toContain('vendor_a/atlas-thinker')
  expect(chosen({ ...wish, request: { seed: 7, user: 'u' } })).not.toContain('vendor_b/lyric')
  const unknown = { ...wish, request: { new_field: 1 } }
  expect(chosen(unknown)).toEqual(['vendor_a/atlas', 'vendor_a/atlas-thinker'])
})

test('a measure that the catalogue does not have is refused', () => {
  expect(refusal({ provider: { sort: 'throughput' } })).toBe('provider.sort')
})
