import type { Json } from '../../json.ts'
import type { Refusal } from '../../server/refusal.ts'
import { refuse } from '../refuse.ts'

export function refuseUnknown(param: string): Refusal {
  return refuse(400, `Unknown parameter: '${param}'.`, { param, code: 'unknown_parameter' })
}

export function refuseUnsupported(param: string): Refusal {
  const message = `Unsupported parameter: '${param}' is not supported with this model.`
  return refuse(400, message, { param, code: 'unsupported_parameter' })
}

export function refuseMissing(param: string): Refusal {
  return refuse(400, `Missing required parameter: '${param}'.`, { param, code: 'missing_required_parameter' })
}

export function refuseType(param: string, expected: string, value: Json): Refusal {
  const message = `Invalid type for '${param}': expected ${expected}, but got ${describe(value)} instead.`
  return refuse(400, message, { param, code: 'invalid_type' })
}

export function refuseChoice(param: string, value: string, words: readonly string[]): Refusal {
  const quoted = words.map(word => `'${word}'`)
  const listed = quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}` : quoted.join()
  const message = `Invalid value: '${value}'. Supported values are: ${listed}.`
  return refuse(400, message, { param, code: 'invalid_value' })
}

export function refuseBound(
  param: string,
  kind: string,
  { value, bound, side }: { value: number; bound: number; side: 'minimum' | 'maximum' },
): Refusal {
  const [place, sign] = side === 'minimum' ? ['below', '>='] : ['above', '<=']
  const message = `Invalid '${param}': ${kind} ${place} ${side} value. Expected a value ${sign} ${bound}, but got ${value} instead.`
  return refuse(400, message, { param, code: `${kind}_${place}_${side === 'minimum' ? 'min' : 'max'}_value` })
}

export function refuseLength(param: string, text: string, most: number): Refusal {
  const message = `Invalid '${param}': string too long. Expected a string with maximum length ${most}, but got a string with length ${text.length} instead.`
  return refuse(400, message, { param, code: 'string_above_max_length' })
}

export function refuseEmpty(param: string): Refusal {
  const message = `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`
  return refuse(400, message, { param, code: 'empty_array' })
}

function describe(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal'
  return `a ${typeof value}`
}
