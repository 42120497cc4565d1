import { isRecord } from '../../../platform/checks.ts'
import type { FieldRule, RequestRules } from '../../../schema/catalog/generation.ts'
import type { MediaCall } from '../../media-adapter.ts'

/**
 * Builds the fields of a vendor's request by the model's rules (`upstream.request` in the catalogue). Parameters without a
 * rule keep their names, except `n` if the vendor generates one result per call. `without` lists parameters that the
 * adapter sends itself.
 */
export function buildFields(
  { parameters, entry }: MediaCall,
  without: readonly string[] = [],
): Record<string, unknown> {
  const { under, fields }: RequestRules = entry.upstream.request ?? { fields: [] }
  const taken = new Set([...without, ...fields.flatMap(({ from = [] }) => from)])
  if (entry.generation.one_at_a_time) taken.add('n')
  const body: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(parameters)) {
    if (!taken.has(name)) put(body, under ? `${under}.${name}` : name, value)
  }
  for (const rule of fields) {
    const value = rule.from === undefined ? rule.value : translate(rule, parameters)
    if (rule.to !== undefined && value !== undefined) put(body, rule.to, value)
  }
  return body
}

/** Returns the vendor's value, or undefined if the request does not have the parameter. */
function translate(rule: FieldRule, parameters: MediaCall['parameters']): unknown {
  const names = [rule.from ?? []].flat()
  const given = names.map(name => (Object.hasOwn(parameters, name) ? parameters[name] : undefined))
  if (given.every(value => value === undefined)) return undefined
  const [first] = given
  // Several values are looked up together: `16:9 1080p`.
  const chosen = names.length > 1 ? given.filter(value => value !== undefined).join(' ') : first
  const known = rule.values && Object.hasOwn(rule.values, String(chosen))
  return shape(rule, known ? rule.values?.[String(chosen)] : chosen)
}

function shape({ as, item, each }: FieldRule, value: unknown): unknown {
  if (!Array.isArray(value)) return convert(value, as)
  if (item !== undefined) return convert(value[item], as)
  return each === undefined ? value : value.map(part => ({ [each]: part }))
}

/** Converts a value to the type that the vendor expects. Lists are returned unchanged. */
function convert(value: unknown, as: FieldRule['as']): unknown {
  if (value === undefined || Array.isArray(value)) return value
  if (as === 'text') return String(value)
  return as === 'number' ? Number(value) : value
}

/** Sets a field such as `input.image.url` in a body, and creates missing objects. */
function put(body: Record<string, unknown>, path: string, value: unknown): void {
  const names = path.split('.')
  const last = names.pop() ?? path
  let place = body
  for (const name of names) {
    const inner = Object.hasOwn(place, name) ? place[name] : undefined
    const next = isRecord(inner) ? inner : {}
    place[name] = next
    place = next
  }
  place[last] = value
}
