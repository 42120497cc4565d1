import { describe, expect, test } from 'vitest'
import type { ChatEntry } from '../../../schema/catalog/entry.ts'
import { Problem } from '../../../schema/errors.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { aChatEntry } from '../../../test/harness/a-chat-call.ts'
import type { ChatModel, ModelCache } from '../../models/model-cache.ts'
import { routeEntries } from '../../models/model-routes.ts'
import { compileChatPrice } from '../../pricing/compile-chat-price.ts'
import { chooseModels } from './choose-models.ts'
import { readPreferences } from './read-preferences.ts'
import type { RouteHealth } from './route-health.ts'

const catalogued = [
  'vendor_a/atlas',
  'vendor_a/atlas-mini',
  'vendor_a/atlas-thinker',
  'vendor_b/lyric',
  'vendor_c/prism-flash',
].map((model): ChatModel => {
  const entry = aChatEntry(model)
  return { entry, price: compileChatPrice(entry.prices) }
})
const modelOf = (name: string) => catalogued.find(({ entry }) => entry.model === name)!

/** A catalogue in which the model vendor_a/atlas falls back to vendor_b/lyric, and vendor_c keeps nothing. */
const models = {
  chat(name: string) {
    const found = catalogued.find(({ entry }) => entry.model === name)
    if (!found) throw new Problem('model_not_found')
    return found
  },
  routes: (model: ChatModel) => [model],
  fallbacks: ({ entry }: ChatModel) => (entry.model === 'vendor_a/atlas' ? [modelOf('vendor_b/lyric')] : []),
  vendor: (label: string) => ({ label, data_collection: label === 'vendor_c' ? 'deny' : undefined }),
  vendorNamed: (name: string) =>
    new Map(['vendor_a', 'vendor_b', 'vendor_c'].map(label => [label, { label }])).get(
      name === 'openai' ? 'vendor_a' : name,
    ),
} as unknown as ModelCache

/** The health in which routes have these scores, by vendor. */
function healthOf(scores: Record<string, number>): RouteHealth {
  const score = ({ provider }: { provider: string }) => scores[provider] ?? 0
  return {
    record: () => {},
    recordAnswer: () => {},
    score,
    latency: score,
    msPerThousandTokens: score,
    close: () => {},
  }
}

interface Asked {
  model?: string
  request?: Partial<ChatRequest> & { new_field?: number }
  noFallback?: string
  [field: string]: unknown
}

function chosen({ model = 'vendor_a/atlas', request = {}, noFallback, ...fields }: Asked): string[] {
  const { preferences } = readPreferences({ model, ...fields }, noFallback)
  const asked = {
    model: modelOf(model),
    fallbacks: models.fallbacks(modelOf(model)),
    request: { model, messages: [], ...request },
    preferences,
    promptTokens: 1_000,
    namedTokens: undefined,
  }
  return chooseModels({ models, routeHealth: healthOf({}) }, asked).models.map(({ entry }) => entry.model)
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

test('preferences also filter the fallbacks of the catalogue', () => {
  expect(chosen({ provider: { only: ['openai'] } })).toEqual(['vendor_a/atlas'])
  expect(chosen({ provider: { max_price: { completion: 10 } } })).toEqual(['vendor_a/atlas'])
  expect(chosen({ provider: { allow_fallbacks: false } })).toEqual(['vendor_a/atlas'])
  expect(chosen({ noFallback: 'true' })).toEqual(['vendor_a/atlas'])
  expect(chosen({ noFallback: 'false' })).toEqual(['vendor_a/atlas', 'vendor_b/lyric'])
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
  const asked = {
    models: ['vendor_a/atlas-thinker', 'vendor_b/lyric'],
    provider: { require_parameters: true },
  }
  expect(chosen({ ...asked, request: { temperature: 0.5 } })).not.toContain('vendor_a/atlas-thinker')
  expect(chosen({ ...asked, request: { seed: 7, user: 'u' } })).not.toContain('vendor_b/lyric')
  const unknown = { ...asked, request: { new_field: 1 } }
  expect(chosen(unknown)).toEqual(['vendor_a/atlas', 'vendor_a/atlas-thinker'])
})

test('require_parameters names the parameters that no model supports', () => {
  const asked = { model: 'vendor_b/lyric', provider: { require_parameters: true } }
  expect(() => chosen({ ...asked, request: { n: 1, seed: 7, new_field: 1 } })).toThrow(
    'leaves no vendor for the requested models: vendor_b/lyric does not support seed, new_field.',
  )
})

test('max_price covers every service tier in which the vendor may serve the request', () => {
  const entry = modelOf('vendor_a/atlas').entry
  const prices = {
    ...entry.prices,
    service_tiers: [
      { tier: 'default', price: '100 %' },
      { tier: 'flex', price: '50 %' },
      { tier: 'priority', price: '200 %' },
    ],
  }
  const model = { entry: { ...entry, prices }, price: compileChatPrice(prices) }
  const isAccepted = (service_tier: string, prompt: number) => {
    const body = { model: entry.model, messages: [], service_tier }
    const { preferences } = readPreferences({ ...body, provider: { max_price: { prompt } } }, undefined)
    const asked = { model, fallbacks: [], request: body, preferences, promptTokens: 1_000, namedTokens: 9 }
    try {
      return chooseModels({ models, routeHealth: healthOf({}) }, asked).models.length > 0
    } catch {
      return false
    }
  }
  const accepted = ['default', 'flex', 'priority', 'auto'].map(tier =>
    [0.625, 1.25, 2.5].filter(price => isAccepted(tier, price)),
  )
  expect(accepted).toEqual([[1.25, 2.5], [1.25, 2.5], [2.5], [2.5]])
})

describe('a model that several vendors serve', () => {
  const rates = (input: number, output: number) => ({
    rates: [
      { of: 'input' as const, price: `${input} per 1M tokens` },
      { of: 'output' as const, price: `${output} per 1M tokens` },
    ],
    surcharges: [],
  })
  const declared = [
    { vendor: 'vendor_f', upstream: { model: 'on-f' }, prices: rates(1, 9) },
    { vendor: 'vendor_g', upstream: { model: 'on-g' }, prices: rates(3, 2) },
  ]
  const vendors = (label: string) => ({ label, name: label, adapter: 'openai-chat' as const })

  function routesBy(
    routeBy: 'catalogue' | 'price' | 'health' | undefined,
    {
      provider,
      request = {},
      scores = {},
    }: { provider?: object; request?: object; scores?: Record<string, number> } = {},
  ) {
    const own = aChatEntry('vendor_a/atlas')
    const entry: ChatEntry = {
      ...own,
      routes: declared,
      route_by: routeBy ?? 'catalogue',
      prices: {
        ...own.prices,
        service_tiers: [
          { tier: 'default', price: '100 %' },
          { tier: 'flex', price: '50 %' },
        ],
      },
    }
    const all = routeEntries(entry, vendors).map(each => ({
      entry: each,
      price: compileChatPrice(each.prices),
    }))
    const catalogue = {
      ...models,
      routes: () => all,
      vendorNamed: (label: string) => vendors(label),
    } as unknown as ModelCache
    const { preferences } = readPreferences(provider ? { model: entry.model, provider } : {}, undefined)
    const asked = {
      ...{ model: all[0]!, fallbacks: [], preferences, promptTokens: 1_000, namedTokens: 100 },
      request: { model: entry.model, messages: [], ...request },
    }
    const result = chooseModels({ models: catalogue, routeHealth: healthOf(scores) }, asked)
    return [result.models.map(route => route.entry.provider).join(' '), result.reason, result.limit]
  }

  test('is called in the order of the catalogue, by price, or by health', () => {
    // 1,000 tokens of prompt and 100 of answer.
    expect(routesBy(undefined)).toEqual(['vendor_a vendor_f vendor_g', 'catalogue', undefined])
    expect(routesBy('price')).toEqual([
      'vendor_f vendor_a vendor_g',
      'price: vendor_f $0.0019, vendor_a $0.00225, vendor_g $0.0032',
      undefined,
    ])
    expect(routesBy('health', { scores: { vendor_a: 900, vendor_f: 1_200, vendor_g: 300 } })).toEqual([
      'vendor_g vendor_a vendor_f',
      'health: vendor_g 300 ms, vendor_a 900 ms, vendor_f 1200 ms',
      undefined,
    ])
    expect(routesBy('price', { provider: { sort: 'throughput' }, scores: { vendor_a: 9_000 } })[1]).toBe(
      'throughput: vendor_f 0 ms per 1000 tokens, vendor_g 0 ms per 1000 tokens, vendor_a 9000 ms per 1000 tokens',
    )
  })

  test('is called at the vendors with a price for the requested service tier, if there are any', () => {
    const called = (service_tier: string) => routesBy('price', { request: { service_tier } })[0]
    expect(called('flex')).toBe('vendor_a')
    for (const tier of ['auto', 'default', 'priority'])
      expect(called(tier)).toBe('vendor_f vendor_a vendor_g')
  })

  test('is called as the request prefers', () => {
    const called = (provider: object, scores = {}) => routesBy('price', { provider, scores })[0]
    expect(called({ order: ['vendor_g', 'vendor_a'] })).toBe('vendor_g vendor_a vendor_f')
    expect(called({ order: ['vendor_g'], allow_fallbacks: false })).toBe('vendor_g')
    expect(called({ allow_fallbacks: false })).toBe('vendor_f vendor_a vendor_g')
    expect(called({ only: ['vendor_g', 'vendor_a'] })).toBe('vendor_a vendor_g')
    expect(called({ ignore: ['vendor_f'], sort: 'price' })).toBe('vendor_a vendor_g')
    expect(called({ max_price: { prompt: 1 } })).toBe('vendor_f')
    const limitOf = (provider: object) => routesBy('price', { provider })[2]
    expect(limitOf({ allow_fallbacks: false })).toBe('one_per_model')
    expect(limitOf({ allow_fallbacks: false, order: ['vendor_g', 'vendor_a'] })).toBeUndefined()
    expect(called({ sort: 'latency' }, { vendor_a: 500, vendor_f: 700, vendor_g: 100 })).toBe(
      'vendor_g vendor_a vendor_f',
    )
  })
})
