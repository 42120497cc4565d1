import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readCatalogue } from '../../domain/models/read-catalogue.ts'
import { compileMediaPrice } from '../../domain/pricing/compile-media-price.ts'
import { aCatalogueFolder } from '../../test/harness/an-import.ts'
import { importModels } from './import-models.ts'
import { chooseModelList } from './lists/choose-list.ts'
import { parseDecimalJson } from './lists/parse-decimal-json.ts'
import { openCatalogue } from './open-catalogue.ts'

const embedding = { litellm_provider: 'openai', mode: 'embedding' }
const imageOf = (litellm_provider: string) => ({ litellm_provider, mode: 'image_generation' })
const video = (output_cost_per_video_per_second: number, ...supported_resolutions: string[]) => ({
  litellm_provider: 'openai',
  mode: 'video_generation',
  output_cost_per_video_per_second,
  supported_resolutions,
})

/** A small file in the format of LiteLLM's map. */
const map = (changes: Record<string, object> = {}) => ({
  'tts-1': { litellm_provider: 'openai', mode: 'audio_speech', input_cost_per_character: 1.5e-5 },
  'gpt-4o-mini-tts': { litellm_provider: 'openai', mode: 'audio_speech', input_cost_per_token: 2.5e-6 },
  'whisper-1': { litellm_provider: 'openai', mode: 'audio_transcription', input_cost_per_second: 1e-4 },
  'openai/sora-2': video(0.1, '720x1280', '1280x720'),
  'openai/sora-2-wide': video(0.5, '1792x1024'),
  'gpt-image-9': { ...imageOf('openai'), input_cost_per_token: 5e-6 },
  ...images('low', 0.011, 0.016),
  ...images('medium', 0.042, 0.063),
  ...images('high', 0.167, 0.25),
  // Qualities that requests cannot choose.
  'standard/1024-x-1024/gpt-image-9': image(0.011),
  '1024-x-1024/gpt-image-9': image(0.011),
  'gpt-image-8': imageOf('openai'),
  'low/1024-x-1024/gpt-image-8': image(0.011),
  'text-embedding-9': { ...embedding, input_cost_per_token: 1.3e-7, max_input_tokens: 8191 },
  'gpt-5.4': { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: 2.5e-6 },
  'gemini/veo-9': { litellm_provider: 'gemini', mode: 'video_generation', output_cost_per_second: 0.4 },
  'gemini/gemini-9-image': { ...imageOf('gemini'), output_cost_per_image: 0.134 },
  'gemini/imagen-9': { ...imageOf('gemini'), output_cost_per_image: 0.04 },
  'xai/grok-image': { ...imageOf('xai'), output_cost_per_image: 0.07 },
  ...changes,
})

function images(quality: string, square: number, wide: number) {
  const dollars = { '1024-x-1024': square, '1536-x-1024': wide, '1024-x-1536': wide }
  return Object.fromEntries(
    Object.entries(dollars).map(([size, price]) => [`${quality}/${size}/gpt-image-9`, image(price)]),
  )
}

function image(dollars: number) {
  return { ...imageOf('openai'), input_cost_per_image: dollars }
}

async function imported(folder: string, list: object, [provider, label]: [string, string], margin?: string) {
  const catalogue = await openCatalogue(folder)
  const findings = importModels(catalogue, {
    list: chooseModelList(parseDecimalJson(JSON.stringify(list)), 'prices.json'),
    provider,
    vendor: catalogue.vendors.find(vendor => vendor.label === label)!,
    isWanted: () => true,
    comparedLists: [],
    margin,
    accepted: new Set(),
    source: { commit: 'f3fc692', date: '2026-07-02' },
  })
  await catalogue.files.save()
  return findings.map(({ outcome, id, text }) => `${outcome} ${id}: ${text}`)
}

const openai: [string, string] = ['openai', 'vendor_a']

test('speech, videos, images and embeddings that the catalogue can declare are added, and others named', async () => {
  const folder = await aCatalogueFolder()
  expect(await imported(folder, map(), openai)).toEqual([
    'added text-to-speech.tts-1: vendor_a/tts-1',
    'added text-to-video.sora-2: vendor_a/sora-2',
    'unusable sora-2-wide: has sizes or parameters that the list does not name: declare it by hand',
    'added text-to-image.gpt-image-9: vendor_a/gpt-image-9',
    'note text-to-image.gpt-image-9: input has a price per token in the list and is not charged',
    'unusable gpt-image-8: prices.rates no rate applies to quality low, aspect_ratio 3:2, nor to 7 more',
    'added text-embedding.text-embedding-9: vendor_a/text-embedding-9',
    'unusable gpt-4o-mini-tts: has no price per character',
    'unusable whisper-1: transcribes audio, which is not served',
  ])
  expect(await imported(folder, map(), ['google', 'vendor_c'])).toEqual([
    'added text-to-video.veo-9: vendor_c/veo-9',
    'added text-to-image.gemini-9-image: vendor_c/gemini-9-image',
    'unusable imagen-9: has no wire format or parameters in the catalogue: declare it by hand',
  ])
  expect(await imported(folder, map(), ['xai', 'vendor_r'])).toEqual([
    'added text-to-image.grok-image: vendor_r/grok-image',
  ])
  for (const vendor of [openai, ['google', 'vendor_c'], ['xai', 'vendor_r']] as [string, string][])
    expect((await imported(folder, map(), vendor)).filter(line => !line.startsWith('unusable'))).toEqual([])
})

test('imported media models are valid, and cost what the list says with the margin', async () => {
  const folder = await aCatalogueFolder()
  await imported(folder, map(), openai, '10')
  const { models } = await readCatalogue(folder)
  const costOf = (id: string, parameters: object) => {
    const entry = models.find(model => model.id === id)
    if (!entry || entry.modality === 'chat') throw new Error(`no media model ${id}`)
    return compileMediaPrice(entry).price({ prompt: '…', ...parameters })
  }
  expect(costOf('text-to-speech.tts-1', { input: 'a'.repeat(1_000) })).toBe(16_500_000n)
  expect(costOf('text-to-video.sora-2', { duration: 8 })).toBe(880_000_000n)
  expect(costOf('text-to-image.gpt-image-9', { quality: 'high', aspect_ratio: '2:3', n: 2 })).toBe(
    550_000_000n,
  )
  expect(models.find(({ id }) => id === 'text-embedding.text-embedding-9')).toMatchObject({
    upstream: { adapter: 'openai-embeddings' },
    prices: { rates: [{ of: 'input', price: '0.143 per 1M tokens' }, { of: 'output' }] },
  })
  expect(await readFile(join(folder, 'models/openai.yaml'), 'utf8')).toContain(`
- id: text-to-video.sora-2
  model: vendor_a/sora-2
  aliases: [ sora-2 ]
  name: sora-2
  description: sora-2 by OpenAI makes videos from a description.
  tags: []
  created: 2026-07-02
  upstream:
    model: sora-2
    adapter: openai-videos
    request:
      fields:
        - { from: aspect_ratio, to: size, values: { 16:9: 1280x720, 9:16: 720x1280 } }
        - { from: duration, to: seconds, as: text }
  parameters: { $ref: ../parameters/videos.yaml#/text-to-video-at-720p }
  prices:
    rates:
      - { price: 0.11 per second }
`)
})

test('a price of media is renewed, and one that moves by more than a third needs consent', async () => {
  const folder = await aCatalogueFolder()
  await imported(folder, map(), openai)
  const at = (dollars: number) => map({ 'openai/sora-2': video(dollars, '720x1280', '1280x720') })
  expect(await imported(folder, at(0.12), openai)).toContain(
    'changed text-to-video.sora-2: 0.1 per second → 0.12 per second',
  )
  expect(await imported(folder, at(0.3), openai)).toContain(
    'held text-to-video.sora-2: moves by more than a third, 0.12 per second → 0.3 per second',
  )
})
