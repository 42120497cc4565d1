import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readCatalogue } from '../../domain/models/read-catalogue.ts'
import { vendorLabels } from '../../schema/catalog/vendor.ts'
import { type ImportOptions, importModels } from './import-models.ts'
import { chooseModelList, choosePriceList } from './lists/choose-list.ts'
import { parseDecimalJson } from './lists/parse-decimal-json.ts'
import { openCatalogue } from './open-catalogue.ts'

type Changes = Partial<Omit<ImportOptions, 'list' | 'comparedLists'>> & { compared?: object[] }

const source = { commit: 'f3fc692', date: '2026-07-02' }

test('a new model is written with its limits, prices, aliases and source', async () => {
  const folder = await anEmptyCatalogue()
  const given = listOf({ 'gpt-5.4': { cost: { input: 2.5, output: 15, cache_read: 0.25, tiers: [tier] } } })
  expect(await imported(folder, given)).toEqual([
    { outcome: 'added', id: 'chat.gpt-5.4', text: 'vendor_a/gpt-5.4' },
  ])
  expect(await textIn(folder)).toMatchInlineSnapshot(`
    "- id: chat.gpt-5.4
      model: vendor_a/gpt-5.4
      aliases: [ gpt-5.4 ]
      name: Gpt-5.4
      description: Gpt-5.4 by OpenAI reads text, images and documents and calls tools.
      tags: [ vision, tools ]
      created: 2026-07-02
      upstream: { model: gpt-5.4 }
      chat:
        $ref: ../families.yaml#/openai-chat
        audio: false
        context_tokens: 400000
        max_output_tokens: 128000
        default_output_tokens: 4096
      prices:
        rates:
          - { of: input, price: 2.5 per 1M tokens }
          - { of: cache_read, price: 0.25 per 1M tokens }
          - { of: output, price: 15 per 1M tokens }
          - { of: input, price: 5 per 1M tokens, above_prompt_tokens: 272000 }
          - { of: cache_read, price: 0.5 per 1M tokens, above_prompt_tokens: 272000 }
          - { of: output, price: 22.5 per 1M tokens, above_prompt_tokens: 272000 }
      source: { from: models.dev, commit: f3fc692, date: 2026-07-02, digest: 51a2d5af9565 }
    "
  `)
  const { models } = await readCatalogue(folder)
  expect(models[0]).toMatchObject({ known_as: ['openai/gpt-5.4', 'gpt-5.4'] })
})

test('a second import changes nothing, and a changed price is written', async () => {
  const folder = await aCatalogueOf(solAt(2))
  const before = await textIn(folder)
  expect(await imported(folder, solAt(2), { source: { commit: 'later', date: '2026-08-01' } })).toEqual([])
  expect(await textIn(folder)).toBe(before)
  expect(await imported(folder, solAt(2.2), { source: { commit: 'later', date: '2026-08-01' } })).toEqual([
    {
      outcome: 'changed',
      id: 'chat.sol',
      text: 'input 2 → 2.2 per 1M tokens; cache_read 2 → 2.2 per 1M tokens; cache_write 2 → 2.2 per 1M tokens',
    },
  ])
  const { models } = await readCatalogue(folder)
  expect(models[0]).toMatchObject({ created: '2026-07-02', source: { commit: 'later', date: '2026-08-01' } })
})

test('what an operator changed stays, and only new figures of the list are reported', async () => {
  const folder = await aCatalogueOf(solAt(2))
  await edit(folder, '2 per 1M tokens', '3 per 1M tokens')
  await edit(folder, 'name: Sol', 'name: Our Sol')
  const edited = await textIn(folder)
  expect(await imported(folder, solAt(2))).toEqual([])
  expect(await imported(folder, solAt(2.5))).toMatchObject([{ outcome: 'kept', id: 'chat.sol' }])
  expect(await textIn(folder)).toBe(edited)
})

test('name, description, tags and fallbacks belong to the operator, and prices are still renewed', async () => {
  const folder = await aCatalogueOf(solAt(2))
  await edit(folder, 'name: Sol', 'name: Our Sol # the best\n  popular: true')
  expect(await imported(folder, solAt(2.5))).toMatchObject([{ outcome: 'changed' }])
  const text = await textIn(folder)
  expect(text).toContain('name: Our Sol # the best\n  popular: true\n')
  expect(text).toContain('{ of: input, price: 2.5 per 1M tokens }')
})

test("OpenAI's service tiers are written, and a tier that moves by more than a third needs consent", async () => {
  const folder = await anEmptyCatalogue()
  const at = (factor: number) => {
    const cost = { input: 2 * factor, output: 10 * factor }
    const fast = { cost, provider: { body: { service_tier: 'priority' } } }
    return listOf({ sol: { experimental: { modes: { fast } } } })
  }
  await imported(folder, at(2))
  const text = await textIn(folder)
  expect(text).toContain(
    '    service_tiers:\n      - { tier: default, price: 100 % }\n      - { tier: priority, price: 200 % }\n',
  )
  expect((await readCatalogue(folder)).models).toHaveLength(1)
  expect(await imported(folder, at(2.5))).toEqual([
    { outcome: 'changed', id: 'chat.sol', text: 'service tier priority 200 % → 250 %' },
  ])
  expect(await imported(folder, at(4))).toMatchObject([{ outcome: 'held' }])
  expect(await imported(folder, listOf({ sol: {} }))).toMatchObject([
    { outcome: 'held', text: expect.stringContaining('service tier priority 250 % → none') },
  ])
})

test('an entry with prices by time stays, and a listed price that no period has is reported', async () => {
  const folder = await aCatalogueOf(solAt(2))
  const rates = (input: number) =>
    `rates: [{ of: input, price: ${input} per 1M tokens }, { of: output, price: 10 per 1M tokens }]`
  const periods = `periods:\n    - { until: 2027-01-01, ${rates(2)} }\n    - { from: 2027-01-01, ${rates(3)} }\n`
  await edit(folder, /rates:\n(?: {6}- .*\n)+/, periods)
  for (const listed of [2, 3]) expect(await imported(folder, solAt(listed))).toEqual([])
  expect(await imported(folder, solAt(4))).toMatchObject([{ outcome: 'kept', id: 'chat.sol' }])
})

test('an entry without a source is never written', async () => {
  const folder = await aCatalogueOf(listOf({ sol: {} }))
  await edit(folder, /\n {2}source: .*/, '')
  const dearer = listOf({ sol: { cost: { input: 9, output: 90 } } })
  expect(await imported(folder, dearer)).toMatchObject([{ outcome: 'kept', id: 'chat.sol' }])
})

test('models whose lists disagree are not written, and named with both figures', async () => {
  const folder = await anEmptyCatalogue()
  const litellm = {
    sol: { litellm_provider: 'openai', input_cost_per_token: 3e-6, output_cost_per_token: 1e-5 },
    terra: {
      litellm_provider: 'openai',
      input_cost_per_token: 2e-6,
      output_cost_per_token: 1e-5,
      input_cost_per_token_above_500k_tokens: 4e-6, // longer than any prompt
      output_cost_per_token_above_500k_tokens: 4e-5,
    },
  }
  const genai = [{ id: 'openai', models: [{ id: 'sol', prices: { input_mtok: 2, output_mtok: 12 } }] }]
  const found = await imported(folder, listOf({ sol: {}, terra: {}, luna: {} }), {
    compared: [litellm, genai],
  })
  expect(found).toEqual([
    {
      outcome: 'disagreeing',
      id: 'sol',
      text: 'input is 2 in models.dev and 3 in litellm; output is 10 in models.dev and 12 in genai-prices',
    },
    expect.objectContaining({ outcome: 'added', id: 'chat.terra' }),
    expect.objectContaining({ outcome: 'added', id: 'chat.luna' }),
  ])
})

test.each([
  [{ cost: { input: 2.7, output: 10 } }, /^input moves by more than a third, 2 → 2\.7;/],
  [{ cost: { input: 1.3, output: 10 } }, /^input moves by more than a third, 2 → 1\.3;/],
  [{ limit: { context: 400_000, output: 64_000 } }, /^max_output_tokens shrinks, 128000 → 64000$/],
  [{ limit: { context: 200_000, output: 128_000 } }, /^context_tokens shrinks, 400000 → 200000$/],
])('%j needs --accept', async (change, text) => {
  const folder = await aCatalogueOf(listOf({ sol: {} }))
  const before = await textIn(folder)
  expect(await imported(folder, listOf({ sol: change }))).toEqual([
    { outcome: 'held', id: 'chat.sol', text: expect.stringMatching(text) },
  ])
  expect(await textIn(folder)).toBe(before)
  const accepted = new Set(['chat.sol'])
  expect(await imported(folder, listOf({ sol: change }), { accepted })).toMatchObject([
    { outcome: 'changed' },
  ])
})

test('a model that vanishes or is deprecated is deactivated with --accept, never deleted', async () => {
  const folder = await anEmptyCatalogue()
  await imported(folder, listOf({ sol: {}, luna: {} }))
  const after = listOf({ luna: { status: 'deprecated' } })
  expect(await imported(folder, after)).toEqual([
    { outcome: 'held', id: 'chat.sol', text: 'is no longer in models.dev' },
    { outcome: 'held', id: 'chat.luna', text: 'is deprecated' },
  ])
  expect(await imported(folder, after, { isWanted: id => id === 'luna' })).toHaveLength(1)
  await imported(folder, after, { accepted: new Set(['chat.sol']) })
  const { models } = await readCatalogue(folder)
  expect(models.map(({ id, active }) => [id, active])).toEqual([
    ['chat.sol', false],
    ['chat.luna', true],
  ])
})

test('a margin is added to each price, recorded, and kept by later imports', async () => {
  const folder = await anEmptyCatalogue()
  await imported(folder, solAt(0.0028), { margin: '10' })
  const ratesIn = async () => (await readCatalogue(folder)).models[0]?.prices.rates.map(({ price }) => price)
  expect(await ratesIn()).toEqual(['0.00308 per 1M tokens', '11 per 1M tokens'])
  expect((await readCatalogue(folder)).models[0]?.source?.margin).toBe('10 %')
  await imported(folder, solAt(0.003))
  expect(await ratesIn()).toEqual(['0.0033 per 1M tokens', '11 per 1M tokens'])
})

test('a premium on cache writes is charged for vendor_b and noted for the others', async () => {
  const cost = { input: 4, output: 20, cache_read: 0.4, cache_write: 5 }
  const folder = await anEmptyCatalogue()
  expect(await imported(folder, listOf({ sol: { cost } }))).toContainEqual({
    outcome: 'note',
    id: 'chat.sol',
    text: 'cache writes cost 5 in the list and are charged as input',
  })
  await imported(folder, listOf({ opus: { cost } }, 'anthropic'), { provider: 'anthropic' })
  const ratesOf = async (name: string) =>
    (await readCatalogue(folder)).models
      .find(({ id }) => id === name)
      ?.prices.rates.map(rate => 'of' in rate && rate.of)
  expect(await ratesOf('chat.sol')).toEqual(['input', 'cache_read', 'output'])
  expect(await ratesOf('chat.opus')).toEqual(['input', 'cache_read', 'cache_write', 'output'])
})

test('names stay unique: the ID gets the vendor in front, and no alias names two models', async () => {
  const folder = await anEmptyCatalogue()
  await imported(folder, listOf({ 'oss-20b': {} }))
  await imported(folder, listOf({ 'openai/oss-20b': {} }, 'groq'), { provider: 'groq' })
  const { models } = await readCatalogue(folder)
  expect(models.map(({ id, known_as, upstream }) => [id, known_as, upstream.model])).toEqual([
    ['chat.groq-oss-20b', ['groq/oss-20b', 'groq/openai/oss-20b'], 'openai/oss-20b'],
    ['chat.oss-20b', ['openai/oss-20b', 'oss-20b'], 'oss-20b'],
  ])
})

test.each([
  [
    'openai',
    { temperature: false, reasoning_options: efforts('none', 'low', 'high') },
    { carrier: 'reasoning_effort', efforts: { none: 'none', low: 'low', high: 'high' } },
  ],
  [
    'anthropic',
    { temperature: false, reasoning_options: efforts('low', 'high') },
    { carrier: 'output_config', efforts: { none: 'none', ...lowOrHigh('low', 'high') } },
  ],
  [
    'google',
    { reasoning_options: efforts('low', 'high') },
    { carrier: 'thinking_level', efforts: { none: 'LOW', ...lowOrHigh('LOW', 'HIGH') }, signatures: true },
  ],
  [
    'google',
    { reasoning_options: [{ type: 'budget_tokens', min: 128, max: 20_000 }] },
    {
      carrier: 'thinking_budget',
      efforts: { minimal: 512, low: 1_024, medium: 8_192, high: 16_384, xhigh: 20_000, max: 20_000 },
    },
  ],
  ['groq', {}, undefined],
])('%s controls reasoning in its own way', async (provider, model, reasoning) => {
  const folder = await anEmptyCatalogue()
  await imported(folder, listOf({ sol: model }, provider), { provider })
  const [entry] = (await readCatalogue(folder)).models
  const found = entry?.modality === 'chat' ? entry.chat.reasoning : undefined
  expect(found).toEqual(reasoning && expect.objectContaining(reasoning))
})

test('audio that costs more than text is not accepted, because it has no price of its own', async () => {
  const folder = await anEmptyCatalogue()
  const modalities = { input: ['text', 'audio'], output: ['text'] }
  const models = {
    dear: { modalities, cost: { input: 1, output: 2, input_audio: 3 } },
    same: { modalities, cost: { input: 1, output: 2, input_audio: 1 } },
  }
  await imported(folder, listOf(models, 'google'), { provider: 'google' })
  const { models: entries } = await readCatalogue(folder)
  expect(entries.map(entry => [entry.id, entry.modality === 'chat' && entry.chat.audio])).toEqual([
    ['chat.dear', false],
    ['chat.same', true],
  ])
})

test('a model that the catalogue would refuse is left out with the reason', async () => {
  const folder = await anEmptyCatalogue()
  const cost = { input: 1, output: 2, cache_read: 3 }
  expect(await imported(folder, listOf({ odd: { cost } }))).toEqual([
    { outcome: 'unusable', id: 'odd', text: 'prices.rates cache_read is more expensive than input' },
  ])
  expect((await readCatalogue(folder)).models).toEqual([])
})

test.each([
  ['a name of its vendor that no alias can have', { 'claude@20250514': {} }],
  ['an ID in other scripts', { модель: {}, '模型-7': {} }],
  ['an ID as long as a page', { [`gpt-${'x'.repeat(3_000)}`]: {} }],
  ['a name of many lines', { sol: { name: `Sol\n- id: chat.other\n  active: true # ${'n'.repeat(5_000)}` } }],
  ['no name', { sol: { name: '' } }],
  ['control characters', { 'so\0l': {}, 'lun\ud800a': {}, terra: { name: 'Terr\0a \u001b[31m\ud800' } }],
  ['names of prototypes', JSON.parse('{"__proto__": {}, "constructor": {}, "toString": {}}')],
  ['paths as IDs', { '../../../etc/passwd': {}, 'a/../..': {}, 'C:\\windows': {} }],
  ['two IDs with one name', { 'GPT-5': {}, 'gpt-5': {}, 'gpt 5': {} }],
])('a list with %s leaves a valid catalogue, which a second import does not change', async (_, models) => {
  const folder = await anEmptyCatalogue()
  await imported(folder, listOf(models, 'groq'), { provider: 'groq' })
  const { models: read } = await readCatalogue(folder)
  expect(read.length).toBeLessThanOrEqual(Object.keys(models).length)
  for (const { name, upstream } of read) expect(name + upstream.model).not.toMatch(/[\p{Cc}\p{Cs}\ufffd]/u)
  const again = await imported(folder, listOf(models, 'groq'), { provider: 'groq' })
  expect(again.filter(({ outcome }) => outcome !== 'unusable')).toEqual([])
})

test.each([
  ['negative', -1],
  ['text in a locale', '1,5'],
  ['a list', [1]],
  ['an object', { usd: 1 }],
])('a price that is %s is never charged as another one', async (_, price) => {
  const folder = await anEmptyCatalogue()
  const base = { input: 2, output: 10 }
  const kinds = ['input', 'output', 'cache_read', 'input_audio', 'reasoning']
  const models = kinds.map(kind => [kind.replace('_', '-'), { cost: { ...base, [kind]: price } }])
  const found = await imported(folder, listOf(Object.fromEntries(models)))
  expect(found.map(({ outcome, id }) => [outcome, id])).toEqual(models.map(([id]) => ['unusable', id]))
})

test('each entry with the same name at the vendor is renewed', async () => {
  const folder = await aCatalogueOf(solAt(2))
  const file = join(folder, 'models/openai.yaml')
  const [entry = ''] = (await readFile(file, 'utf8')).split('\n\n')
  const own = entry.replaceAll('sol', 'our-sol').replace('{ model: our-sol }', '{ model: sol }')
  await writeFile(file, `${entry}\n${own.replace(/\n {2}source: .*/, '').replace('10 per', '99 per')}`)
  expect(await imported(folder, solAt(2.5))).toMatchObject([
    { outcome: 'changed', id: 'chat.sol' },
    { outcome: 'kept', id: 'chat.our-sol' },
  ])
})

test('a model that the list has for free is written with --accept only: its price may be missing', async () => {
  const folder = await anEmptyCatalogue()
  const list = listOf({ sol: { cost: { input: 0, output: 0 } } })
  expect(await imported(folder, list)).toEqual([
    { outcome: 'held', id: 'chat.sol', text: 'is free in models.dev' },
  ])
  expect((await readCatalogue(folder)).models).toEqual([])
  const accepted = new Set(['chat.sol'])
  expect(await imported(folder, list, { accepted })).toMatchObject([{ outcome: 'added' }])
})

test('an entry whose new figures the catalogue would refuse needs a decision', async () => {
  const folder = await aCatalogueOf(listOf({ sol: {} }))
  const odd = listOf({ sol: { cost: { input: 2, output: 10, cache_read: 3 } } })
  expect(await imported(folder, odd)).toEqual([
    { outcome: 'held', id: 'chat.sol', text: 'prices.rates cache_read is more expensive than input' },
  ])
})

const tier = { tier: { type: 'context', size: 272_000 }, input: 5, output: 22.5, cache_read: 0.5 }

function lowOrHigh(low: string, high: string) {
  return { minimal: low, low, medium: high, high, xhigh: high, max: high }
}

function efforts(...values: string[]) {
  return [{ type: 'effort', values }]
}

const solAt = (input: number) => listOf({ sol: { cost: { input, output: 10 } } })
const textIn = (folder: string) => readFile(join(folder, 'models/openai.yaml'), 'utf8')

async function aCatalogueOf(list: object): Promise<string> {
  const folder = await anEmptyCatalogue()
  await imported(folder, list)
  return folder
}

/** A list of models.dev with these models, each with defaults. */
function listOf(models: Record<string, object>, provider = 'openai'): object {
  const entries = Object.entries(models).map(([id, model]) => [
    id,
    {
      name: id[0]?.toUpperCase() + id.slice(1),
      tool_call: true,
      modalities: { input: ['text', 'image', 'pdf'], output: ['text'] },
      limit: { context: 400_000, output: 128_000 },
      cost: { input: 2, output: 10 },
      ...model,
    },
  ])
  return { [provider]: { id: provider, models: Object.fromEntries(entries) } }
}

/** A catalogue with the vendors of the real one, and without models. */
async function anEmptyCatalogue(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'catalogue-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'models'))
  const vendors: Record<string, string> = {
    vendor_a: '{ name: OpenAI, adapter: openai-chat, aliases: [openai] }',
    vendor_b: '{ name: Anthropic, adapter: anthropic-messages, aliases: [anthropic] }',
    vendor_c: '{ name: Google, adapter: gemini, aliases: [google] }',
    vendor_d: '{ name: Groq, adapter: openai-chat, aliases: [groq] }',
  }
  const lines = vendorLabels.map(label => `${label}: ${vendors[label] ?? '{ name: Unused, adapter: queue }'}`)
  await writeFile(join(folder, 'vendors.yaml'), lines.join('\n'))
  return folder
}

async function edit(folder: string, from: string | RegExp, to: string): Promise<void> {
  const file = join(folder, 'models/openai.yaml')
  const text = await readFile(file, 'utf8')
  expect(text).toMatch(from)
  await writeFile(file, text.replace(from, to))
}

async function imported(folder: string, list: object, { compared = [], ...changes }: Changes = {}) {
  const catalogue = await openCatalogue(folder)
  const provider = changes.provider ?? 'openai'
  const vendor = catalogue.vendors.find(({ aliases }) => aliases?.includes(provider))
  const decimal = (json: object) => parseDecimalJson(JSON.stringify(json))
  const findings = importModels(catalogue, {
    list: chooseModelList(decimal(list), 'api.json'),
    provider,
    vendor: vendor!,
    isWanted: () => true,
    comparedLists: compared.map(json => choosePriceList(decimal(json), 'prices.json')),
    margin: undefined,
    accepted: new Set(),
    source,
    ...changes,
  })
  await catalogue.files.save()
  return findings
}
