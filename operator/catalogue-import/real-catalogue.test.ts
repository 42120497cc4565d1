import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readCatalogue } from '../../domain/models/read-catalogue.ts'
import { importModels } from './import-models.ts'
import { chooseModelList } from './lists/choose-list.ts'
import { parseDecimalJson } from './lists/parse-decimal-json.ts'
import { openCatalogue } from './open-catalogue.ts'

const folder = join(import.meta.dirname, '../../schema/real-catalog')

test('the real catalogue is valid, and its models have their well-known names', async () => {
  const { models } = await readCatalogue(folder)
  const names = new Map(models.flatMap(({ model, known_as = [] }) => known_as.map(alias => [alias, model])))
  for (const [alias, model] of [
    ['openai/gpt-5.4', 'vendor_a/gpt-5.4'],
    ['gpt-5.4', 'vendor_a/gpt-5.4'],
    ['anthropic/claude-opus-5', 'vendor_b/claude-opus-5'],
    ['google/gemini-2.5-pro', 'vendor_c/gemini-2.5-pro'],
    ['mistral/mistral-large-2512', 'vendor_d/mistral-large-2512'],
    ['deepseek/deepseek-v4-pro', 'vendor_e/deepseek-v4-pro'],
    ['xai/grok-4.7', 'vendor_q/grok-4.7'],
    ['groq/openai/gpt-oss-120b', 'vendor_r/gpt-oss-120b'],
    ['text-embedding-3-small', 'vendor_a/text-embedding-3-small'],
  ] as const)
    expect(names.get(alias), alias).toBe(model)
})

test('an import of its own list changes nothing', async () => {
  const json = await readFile(join(import.meta.dirname, 'models.dev.json'), 'utf8')
  const list = chooseModelList(parseDecimalJson(json), 'models.dev.json')
  const catalogue = await openCatalogue(folder)
  const findings = catalogue.vendors.flatMap(vendor =>
    (vendor.aliases ?? []).flatMap(provider =>
      importModels(catalogue, {
        list,
        provider,
        vendor,
        isWanted: () => true,
        comparedLists: [],
        margin: undefined,
        accepted: new Set(),
        source: { commit: 'any', date: '2026-11-01' },
      }),
    ),
  )
  expect(findings.filter(({ outcome }) => outcome !== 'unusable')).toEqual([])
  expect(findings.map(({ id }) => id)).toEqual([
    'gpt-image-2',
    'gemini-embedding-001',
    'gemini-3.1-flash-image-preview',
  ])
})
