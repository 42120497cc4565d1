import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { modalities } from '../../schema/catalog/entry.ts'
import { readCatalogue } from './read-catalogue.ts'

const shipped = new URL('../../schema/catalog', import.meta.url).pathname

test('the shipped catalogue is valid and contains every modality and profile', async () => {
  const { vendors, models } = await readCatalogue(shipped)
  expect(vendors.map(({ label }) => label)).toEqual(
    [...'abcdefghijklmnopqr'].map(letter => `vendor_${letter}`),
  )
  expect(models.length).toBeGreaterThanOrEqual(30)
  expect(new Set(models.map(({ modality }) => modality))).toEqual(new Set(modalities))
  expect(models.filter(({ task }) => task === 'reference-to-video')).toHaveLength(4)
  for (const { id, task, model, provider } of models) {
    expect(id.startsWith(`${task}.`)).toBe(true)
    expect(model.startsWith(`${provider}/`)).toBe(true)
  }
})

test('an entry is plain JSON, completed with derived fields', async () => {
  const { models } = await readCatalogue(shipped)
  const entry = models.find(({ id }) => id === 'chat.atlas-thinker')
  expect(entry).toMatchObject({
    provider: 'vendor_a',
    modality: 'chat',
    active: true,
    upstream: { adapter: 'openai-chat', model: 'atlas-thinker-2026-04' },
  })
  expect(JSON.parse(JSON.stringify(models))).toEqual(models)
})

test('the flags of a chat model determine its parameters', async () => {
  const { models } = await readCatalogue(shipped)
  const accepted = (id: string) => models.find(entry => entry.id === id)!.parameters.properties
  expect(accepted('chat.atlas')).toMatchObject({
    temperature: { maximum: 2 },
    stop: { maxItems: 4 },
    n: { maximum: 10 },
  })
  expect(accepted('chat.lyric-classic')).toMatchObject({
    temperature: { maximum: 1 },
    max_tokens: { maximum: 8192, default: 4096 },
  })
  expect(accepted('chat.lyric')).toMatchObject({
    reasoning_effort: { enum: expect.arrayContaining(['none', 'max']) },
  })
  for (const dropped of ['temperature', 'top_p', 'seed', 'logprobs', 'n', 'prompt_cache_key']) {
    expect(accepted('chat.lyric')).not.toHaveProperty(dropped)
  }
})

test('a fault of the chat parameters is reported in their file, and not for each model', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parameters-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await cp(shipped, folder, { recursive: true })
  const path = join(folder, 'parameters/chat.yaml')
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace('minimum: 1, default: 1', 'minimum: 1, default: 0'))
  await expect(readCatalogue(folder)).rejects.toThrow(
    /^parameters\/chat\.yaml:\d+: properties\.n\.default: violates its own schema: it must be >= 1$/,
  )
})
