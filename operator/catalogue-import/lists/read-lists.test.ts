import { describe, expect, test } from 'vitest'
import { chooseModelList, choosePriceList } from './choose-list.ts'
import { parseDecimalJson } from './parse-decimal-json.ts'

const model = `"name": "Sol", "reasoning": true, "temperature": false, "tool_call": true,
  "reasoning_options": [{"type": "toggle"}, {"type": "effort", "values": ["low", "high"]}],
  "modalities": {"input": ["text", "image"], "output": ["text"]}, "limit": {"context": 1000, "output": 200}`
const modelsDev = (rest: string) =>
  parseDecimalJson(`{"openai": {"id": "openai", "models": {"sol": {${rest}}}}}`)
const listing = (rest: string) => chooseModelList(modelsDev(rest), 'api.json').listingOf('openai')

describe('models.dev', () => {
  test('has names, limits, abilities and prices with tiers', () => {
    const cost = `{"input": 2.50, "output": 10, "cache_read": 0.0028,
      "tiers": [{"tier": {"type": "context", "size": 272000}, "input": 5, "output": 15}]}`
    expect(listing(`${model}, "cost": ${cost}`)).toEqual({
      unusable: [],
      models: [
        {
          task: 'chat',
          id: 'sol',
          name: 'Sol',
          prices: [
            { above: 0, input: 2_500_000_000n, output: 10_000_000_000n, cache_read: 2_800_000n },
            { above: 272_000, input: 5_000_000_000n, output: 15_000_000_000n },
          ],
          contextTokens: 1_000,
          outputTokens: 200,
          reads: new Set(['text', 'image']),
          isAudioExtra: false,
          tools: true,
          sampling: false,
          reasoning: { efforts: ['low', 'high'] },
        },
      ],
    })
  })

  test.each([
    ['"context_over_200k": {"input": 3, "output": 4}'],
    ['"tiers": [{"context": {"min": 200000}, "input": 3, "output": 4}]'],
  ])('has tiers in other versions: %s', tiers => {
    const cost = `{"input": 1, "output": 2, ${tiers}}`
    expect(listing(`${model}, "cost": ${cost}`).models[0]?.prices[1]).toMatchObject({
      above: 200_000,
      input: 3_000_000_000n,
    })
  })

  test.each([
    ['{"input": 12.5, "output": 75, "cache_read": 1.25}', '{"service_tier": "priority"}', 250n],
    ['{"input": 12.5, "output": 60}', '{"service_tier": "priority"}', undefined],
    ['{"input": 12.5, "output": 75}', '{"service_tier": "priority", "speed": "fast"}', undefined],
    ['{"input": 12.5, "output": 75}', '{"speed": "fast"}', undefined],
  ])('has service tiers with one percentage of all prices: %s with %s', (cost, body, percent) => {
    const base = '{"input": 5, "output": 30, "cache_read": 0.5}'
    const modes = `{"modes": {"fast": {"cost": ${cost}, "provider": {"body": ${body}}}}}`
    const [read] = listing(`${model}, "cost": ${base}, "experimental": ${modes}`).models
    expect(read).toMatchObject({ task: 'chat' })
    const expected = percent && [{ tier: 'priority', percent }]
    expect(read && 'serviceTiers' in read ? read.serviceTiers : undefined).toEqual(expected)
  })

  test.each([
    ['', 'has no price that can be read'],
    ['"cost": {"input": 1}', 'has no price that can be read'],
    ['"cost": {"input": -1, "output": 1}', 'has no price that can be read'],
    ['"cost": {"input": 1, "output": 2, "reasoning": 3}', 'has a price of its own for reasoning'],
    [
      '"cost": {"input": 1, "output": 2, "tiers": [{"input": 3}]}',
      'has a tier of prices that cannot be read',
    ],
    ['"cost": {"input": 1, "output": 2}, "status": "deprecated"', 'is deprecated'],
    ['"cost": {"input": 1, "output": 2}, "limit": {"context": 0, "output": 0}', 'has no limits of tokens'],
    [
      '"cost": {"input": 1, "output": 2}, "modalities": {"input": ["text"], "output": ["image"]}',
      'turns text into image: only text has prices of tokens',
    ],
  ])('a model with %s is left out: it %s', (rest, reason) => {
    expect(listing(rest ? `${model}, ${rest}` : model)).toEqual({
      models: [],
      unusable: [{ id: 'sol', reason }],
    })
  })
})

const day = '2026-07-02'
const pricesIn = (text: string, provider: string, id: string) =>
  choosePriceList(parseDecimalJson(text), 'prices.json').pricesOf({ provider, id }, day)

describe('LiteLLM', () => {
  const text = `{
    "gpt-5.4": {"litellm_provider": "openai", "input_cost_per_token": 2.5e-06, "output_cost_per_token": 1.5e-05,
      "cache_read_input_token_cost": 2.5e-07, "input_cost_per_token_above_272k_tokens": 5e-06,
      "output_cost_per_token_above_272k_tokens": 2.25e-05},
    "gemini/flash": {"litellm_provider": "gemini", "input_cost_per_token": 3e-07, "output_cost_per_token": 2.5e-06},
    "azure/gpt-5.4": {"litellm_provider": "azure", "input_cost_per_token": 1, "output_cost_per_token": 1}}`
  test('has prices per token, under names with and without the vendor', () => {
    expect(pricesIn(text, 'openai', 'gpt-5.4')).toEqual([
      { above: 0, input: 2_500_000_000n, output: 15_000_000_000n, cache_read: 250_000_000n },
      { above: 272_000, input: 5_000_000_000n, output: 22_500_000_000n },
    ])
    expect(pricesIn(text, 'google', 'flash')).toMatchObject([{ input: 300_000_000n }])
    expect(pricesIn(text, 'groq', 'gpt-5.4')).toBeUndefined()
  })
})

describe('genai-prices', () => {
  const text = `[{"id": "x-ai", "models": [
    {"id": "grok", "match": {"or": [{"equals": "grok-latest"}, {"starts_with": "grok-2"}]},
     "prices": {"input_mtok": {"base": 1.25, "tiers": [{"start": 200000, "price": 2.5}]}, "output_mtok": 2.5}},
    {"id": "dated", "prices": [
      {"prices": {"input_mtok": 10, "output_mtok": 40}},
      {"constraint": {"start_date": "2026-06-10"}, "prices": {"input_mtok": 2, "output_mtok": 8}},
      {"constraint": {"start_date": "2026-12-31"}, "prices": {"input_mtok": 4, "output_mtok": 16}}]},
    {"id": "hourly", "prices": [{"prices": {"input_mtok": 1, "output_mtok": 1}},
      {"constraint": {"start_time": "00:30:00Z", "end_time": "16:30:00Z"}, "prices": {"input_mtok": 2, "output_mtok": 2}}]}
  ]}]`
  test('has tiers, prices from a day on, and rules for names', () => {
    const tiers = [
      { above: 0, input: 1_250_000_000n, output: 2_500_000_000n },
      { above: 200_000, input: 2_500_000_000n, output: 2_500_000_000n },
    ]
    for (const id of ['grok', 'grok-latest', 'grok-2-mini']) expect(pricesIn(text, 'xai', id)).toEqual(tiers)
    expect(pricesIn(text, 'xai', 'dated')).toMatchObject([{ input: 2_000_000_000n }])
    expect(pricesIn(text, 'xai', 'hourly')).toBe('has prices by the hour')
    expect(pricesIn(text, 'xai', 'other')).toBeUndefined()
  })
})

test('a list of another format is refused by name', () => {
  expect(() => chooseModelList([{ id: 'openai', models: [] }], 'a.json')).toThrow(
    'a.json has the format of genai-prices, which is only read to compare prices: see --compare',
  )
  expect(() => chooseModelList([], 'a.json')).toThrow('a.json is neither the api.json of models.dev nor')
  expect(() => choosePriceList({ a: 1 }, 'b.json')).toThrow('b.json has no known format')
})
