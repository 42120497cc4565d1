import { Problem } from '../../schema/errors.ts'
import type { Unit } from './parse-price.ts'

export type MediaUnit = Exclude<Unit, 'token'>

/** The parameter that each unit is counted by; a unit without one is counted once a request. */
export const countedBy: Record<MediaUnit, string | undefined> = {
  second: 'duration',
  image: 'n',
  character: 'input',
  'input image': 'image_urls',
  video: undefined,
  track: undefined,
}

/**
 * How many units a request asks for. `value` is its value of the parameter that the unit is counted by.
 * Throws `invalid_request` where that is not a whole number, which a checked request cannot bring about.
 */
export function measure(unit: MediaUnit, value: unknown): number {
  switch (unit) {
    case 'second':
      return whole(value)
    case 'image':
      return value === undefined ? 1 : whole(value)
    case 'character':
      return charactersOf(value)
    case 'input image':
      return Array.isArray(value) ? value.length : 0
    default:
      return 1
  }
}

/** A whole number, also when it is written as text: profile B says `duration: "6"`. */
function whole(value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number
  throw new Problem('invalid_request', {
    message: 'The request cannot be priced.',
    internal: `${value} is not a count`,
  })
}

/** Characters as vendors count them: Unicode code points, not UTF-16 halves. */
function charactersOf(value: unknown): number {
  let count = 0
  if (typeof value === 'string') for (const _ of value) count++
  return count
}
