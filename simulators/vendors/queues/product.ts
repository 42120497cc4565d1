import type { Product } from '../media/generation.ts'
import { parseSize, sizeOf } from '../media/sizes.ts'

interface Parameters {
  readonly count?: number | null | undefined
  readonly duration?: string | number | null | undefined
  readonly size?: string | null | undefined
  readonly resolution?: string | null | undefined
  readonly aspect_ratio?: string | null | undefined
}

/** Returns the product of a model, which follows from its name: images, a sound, else a video. */
export function productOf(model: string, parameters: Parameters): Product {
  const { count, duration, size, resolution, aspect_ratio } = parameters
  const seconds = Number(duration ?? 5) || 5
  if (/canvas|brush|lens|collage|horizon|paint/.test(model)) {
    return { kind: 'image', size: sizeOf(resolution, aspect_ratio), count: count ?? 1 }
  }
  if (/tempo|foley|music|sound/.test(model)) return { kind: 'sound', format: 'wav', seconds }
  if (/ballad|song|speech/.test(model)) return { kind: 'sound', format: 'mp3', seconds: 30 }
  const measured = parseSize(size) ?? sizeOf(resolution ?? '720p', aspect_ratio ?? '16:9')
  return { kind: 'video', size: measured, seconds }
}
