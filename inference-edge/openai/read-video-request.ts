import type { ModelCache } from '../../domain/models/model-cache.ts'
import { isRecord } from '../../platform/checks.ts'
import type { ParameterSchema } from '../../schema/catalog/entry.ts'
import { Problem } from '../../schema/errors.ts'
import { invalidParam } from '../../schema/refuse-param.ts'
import { readSize } from '../images/read-size.ts'

/**
 * Translates the body of OpenAI's `POST /videos` into that of `POST /v1/videos/generations`: `seconds` into `duration`,
 * `size` into the `size`, or `resolution` and `aspect_ratio`, of the model, and `input_reference` into `image_urls`.
 * Throws `invalid_request` and `model_not_found`, naming the parameter.
 */
export function readVideoRequest(models: ModelCache, json: unknown): unknown {
  if (!isRecord(json) || typeof json.model !== 'string') return json // refused by the task's own check
  const { seconds, size, input_reference, 'input_reference[image_url]': formUrl, ...given } = json
  const { parameters } = models.media(json.model, 'video').entry
  const imageUrl = formUrl ?? imageUrlOf(input_reference)
  return {
    ...given,
    ...(seconds != null && { duration: readSeconds(seconds, parameters) }),
    ...(size != null && readVideoSize(size, parameters)),
    ...(imageUrl !== undefined && { image_urls: [imageUrl] }),
  }
}

function imageUrlOf(reference: unknown): unknown {
  if (reference == null) return undefined
  if (typeof reference === 'string') return reference
  if (isRecord(reference) && typeof reference.image_url === 'string') return reference.image_url
  throw invalidParam(
    'input_reference',
    'must be an image, or have image_url. Files cannot be referenced by ID',
  )
}

function readSeconds(seconds: unknown, { properties }: ParameterSchema): string | number {
  const text = String(seconds)
  if (!/^\d{1,4}$/.test(text)) throw invalidParam('seconds', 'must be a whole number')
  return properties.duration?.type === 'string' ? text : Number(text)
}

/** Maximum relative difference between the shorter side and a resolution of the model: 1024 counts as 1080p. */
const tolerance = 0.1

function readVideoSize(size: unknown, parameters: ParameterSchema): Record<string, unknown> {
  const { properties } = parameters
  const [, width, height] = /^(\d{2,5})x(\d{2,5})$/.exec(String(size)) ?? []
  if (width === undefined || height === undefined) throw invalidParam('size', 'must be WIDTHxHEIGHT')
  if (properties.size) return { size: `${width}*${height}` }
  const { size: _, ...shape } = readSize({ size }, parameters)
  const resolutions = properties.resolution?.enum
  if (!Array.isArray(resolutions)) return shape
  const shorter = Math.min(Number(width), Number(height))
  return { ...shape, resolution: closestResolution(shorter, resolutions.map(String)) }
}

function closestResolution(pixels: number, resolutions: readonly string[]): string {
  const distances = resolutions
    .map(resolution => ({ resolution, distance: Math.abs(pixelsOf(resolution) / pixels - 1) }))
    .filter(({ distance }) => distance <= tolerance)
    .sort((a, b) => a.distance - b.distance)
  const [closest] = distances
  if (closest) return closest.resolution
  const message = `The shorter side of size must be close to one of the resolutions ${resolutions.join(', ')}.`
  throw new Problem('invalid_request', { param: 'size', message })
}

/** The shorter side of `720p` or `2K`, in pixels; NaN for any other text. */
export function pixelsOf(resolution: string): number {
  const [, lines, thousands] = /^(?:(\d{3,4})p|([124])K)$/.exec(resolution) ?? []
  return lines === undefined ? Number(thousands) * 720 : Number(lines)
}
