import type { MediaRate } from '../../schema/catalog/prices.ts'
import type { Vendor } from '../../schema/catalog/vendor.ts'
import type { ImportedParts } from './declare-model.ts'
import type { ListedMedia } from './lists/lists.ts'
import { printDollars, withMargin } from './lists/token-prices.ts'

/** How one vendor's models of one task are called: the parts of an entry besides its prices. */
interface Template {
  adapter: string
  parameters: string
  fields?: readonly object[]
  generation?: object
}

/**
 * Declares an image, video or speech model of a list, with the margin. A list names neither parameters nor voices, so
 * only models whose vendor is known to accept the parameters of a template can be declared. Returns the reason for
 * others.
 */
export function declareMedia(
  model: ListedMedia,
  { vendor, margin }: { vendor: Vendor; margin: string },
): ImportedParts | string {
  const template = templateOf(model, vendor)
  if (typeof template === 'string') return template
  const { adapter, parameters, fields, generation } = template
  return {
    upstream: {
      model: model.id,
      ...(adapter !== vendor.adapter && { adapter }),
      ...(fields && { request: { fields } }),
    },
    ...(generation && { generation }),
    parameters: { $ref: `../parameters/${parameters}` },
    prices: { rates: ratesOf(model, margin) },
  }
}

function templateOf(model: ListedMedia, { label, adapter }: Vendor): Template | string {
  const isOpenAi = label === 'vendor_a' && adapter === 'openai-chat'
  switch (model.task) {
    case 'text-to-speech':
      if (isOpenAi) return { adapter: 'openai-speech', parameters: 'audio.yaml#/speech-by-character' }
      return 'has voices that the list does not name: declare it by hand'
    case 'text-to-video':
      if (isOpenAi && model.sizes.every(size => videoSizes.has(size))) return openAiVideo
      if (adapter === 'gemini' && model.id.startsWith('veo-')) return veo
      return 'has sizes or parameters that the list does not name: declare it by hand'
    default:
      return imageTemplateOf(model, { isOpenAi, adapter })
  }
}

function imageTemplateOf(
  { id, prices }: ListedMedia,
  { isOpenAi, adapter }: { isOpenAi: boolean; adapter: string },
): Template | string {
  if (isOpenAi && prices.every(({ size }) => size !== undefined)) return openAiImage
  if (adapter === 'gemini' && id.startsWith('gemini-')) return geminiImage
  if (adapter === 'openai-chat' && !isOpenAi)
    return { adapter: 'openai-images', parameters: 'images.yaml#/text-to-image-plain' }
  return 'has no wire format or parameters in the catalogue: declare it by hand'
}

/** The aspect ratio of each size of images. */
const ratios = new Map([
  ['1024x1024', '1:1'],
  ['1536x1024', '3:2'],
  ['1024x1536', '2:3'],
])

/** The qualities of these images. */
const qualities: ReadonlySet<string> = new Set(['low', 'medium', 'high'])

const openAiImage: Template = {
  adapter: 'openai-images',
  parameters: 'images.yaml#/text-to-image-by-effort',
  fields: [
    {
      from: 'aspect_ratio',
      to: 'size',
      values: Object.fromEntries(Array.from(ratios, ([size, ratio]) => [ratio, size])),
    },
  ],
}

const geminiImage: Template = {
  adapter: 'gemini-images',
  parameters: 'images.yaml#/text-to-image-by-ratio',
  fields: [{ from: 'aspect_ratio', to: 'imageConfig.aspectRatio' }],
  generation: { one_at_a_time: true },
}

const videoSizes: ReadonlySet<string> = new Set(['1280x720', '720x1280'])

const openAiVideo: Template = {
  adapter: 'openai-videos',
  parameters: 'videos.yaml#/text-to-video-at-720p',
  fields: [
    { from: 'aspect_ratio', to: 'size', values: { '16:9': '1280x720', '9:16': '720x1280' } },
    { from: 'duration', to: 'seconds', as: 'text' },
  ],
}

const veo: Template = {
  adapter: 'google-operations',
  parameters: 'videos.yaml#/text-to-video-by-model',
  fields: [
    { from: 'aspect_ratio', to: 'aspectRatio' },
    { from: 'duration', to: 'durationSeconds' },
  ],
}

const units = {
  'text-to-image': 'image',
  'text-to-video': 'second',
  'text-to-speech': '1M characters',
} as const

/** Returns the rates, without prices of a quality or size that requests cannot choose. */
function ratesOf({ task, prices }: ListedMedia, margin: string): MediaRate[] {
  return prices.flatMap(({ nanos, quality = '', size }): MediaRate[] => {
    const price = `${printDollars(withMargin(nanos, margin))} per ${units[task]}`
    if (size === undefined) return [{ price }]
    const ratio = ratios.get(size)
    return ratio && qualities.has(quality) ? [{ price, when: { quality, aspect_ratio: ratio } }] : []
  })
}
