import type { ParameterSchema } from '../../schema/catalog/entry.ts'
import { invalidParam } from '../../schema/refuse-param.ts'

/** Maximum relative difference between a size and an aspect ratio. Vendors, for example, call 1792x1024 16:9. */
const tolerance = 0.03

/**
 * Replaces the `size` of OpenAI's clients, `1536x1024`, with the closest `aspect_ratio` if the model has that
 * parameter. Other requests are not changed. Throws `invalid_request`, naming the model's aspect ratios, if none is
 * close.
 */
export function readSize(
  given: Record<string, unknown>,
  { properties }: ParameterSchema,
): Record<string, unknown> {
  const { size, ...others } = given
  const shapes = properties.aspect_ratio?.enum
  if (size == null || properties.size !== undefined || !Array.isArray(shapes)) return given
  const shape = typeof size === 'string' ? closestShape(size, shapes.map(String)) : undefined
  const isOther = given.aspect_ratio != null && given.aspect_ratio !== shape
  if (shape !== undefined && !isOther) return { ...others, aspect_ratio: shape }
  throw invalidParam(
    'size',
    isOther
      ? 'and aspect_ratio contradict each other. Send only one of them'
      : `must be WIDTHxHEIGHT in one of the aspect ratios ${shapes.join(', ')}`,
  )
}

function closestShape(size: string, shapes: readonly string[]): string | undefined {
  const [, width, height] = /^(\d{2,5})x(\d{2,5})$/.exec(size) ?? []
  const asked = Number(width) / Number(height)
  const distances = shapes
    .map(shape => ({ shape, distance: Math.abs(asked / ratioOf(shape) - 1) }))
    .filter(({ distance }) => distance <= tolerance)
  return distances.sort((a, b) => a.distance - b.distance)[0]?.shape
}

function ratioOf(shape: string): number {
  const [width, height] = shape.split(':').map(Number)
  return (width ?? Number.NaN) / (height ?? Number.NaN)
}
