import { isRecord, type Json, type JsonRecord } from '../../json.ts'
import { fitNumber } from './fit-number.ts'
import { fitString } from './fit-string.ts'
import { flattenSchema } from './flatten-schema.ts'
import type { Place } from './place.ts'

/** Down to here optional properties are filled in; below, only what is required. */
const roomyDepth = 5
/** A schema that demands endless nesting ends here, and then does not fit. */
const deepest = 40

/**
 * A value that fits a JSON Schema: types, enum, const, properties, items, prefixItems, bounds, formats, patterns,
 * anyOf, oneOf, allOf, $ref. Of anyOf and oneOf the first branch that is not null is taken; `not`, `if`, `contains`,
 * `dependent…` and `patternProperties` are not looked at. Neighbouring ordinals give different values where the
 * schema leaves a choice.
 */
export function fitSchema(schema: Json, { ordinal = 0 }: { ordinal?: number } = {}): Json {
  return fitValue(schema, { root: schema, ordinal, depth: 0 })
}

function fitValue(schema: Json, place: Place): Json {
  const flat = flattenSchema(schema, place)
  if (flat.const !== undefined) return flat.const
  if (Array.isArray(flat.enum)) return flat.enum[place.ordinal % flat.enum.length] ?? null
  switch (typeOf(flat)) {
    case 'object':
      return place.depth < deepest ? fitObject(flat, place) : {}
    case 'array':
      return place.depth < deepest ? fitArray(flat, place) : []
    case 'string':
      return fitString(flat, place)
    case 'integer':
      return fitNumber(flat, { ...place, isWhole: true })
    case 'number':
      return fitNumber(flat, { ...place, isWhole: false })
    case 'boolean':
      return place.ordinal % 2 === 0
    default:
      return null
  }
}

/** The type to produce: the first that is not null, else what the schema's other words speak of. */
function typeOf(schema: JsonRecord): Json {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? inferType(schema)]
  return types.find(type => type !== 'null') ?? 'null'
}

function inferType(schema: JsonRecord): string {
  const speaksOf = (...words: string[]): boolean => words.some(word => schema[word] !== undefined)
  if (speaksOf('properties', 'required', 'additionalProperties', 'minProperties')) return 'object'
  if (speaksOf('items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems')) return 'array'
  if (speaksOf('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')) return 'number'
  return 'string'
}

function fitObject(schema: JsonRecord, place: Place): JsonRecord {
  const known = isRecord(schema.properties) ? schema.properties : {}
  const others = schema.additionalProperties ?? true
  const names = chooseNames(schema, { known, isRoomy: place.depth < roomyDepth })
  const below = { ...place, depth: place.depth + 1 }
  return Object.fromEntries(
    names.map(name => [name, fitValue(Object.hasOwn(known, name) ? (known[name] ?? true) : others, below)]),
  )
}

/** Required names first, then the optional ones there is room for, then made-up ones up to `minProperties`. */
function chooseNames(
  schema: JsonRecord,
  { known, isRoomy }: { known: JsonRecord; isRoomy: boolean },
): string[] {
  const required = Array.isArray(schema.required)
    ? schema.required.filter(name => typeof name === 'string')
    : []
  const least = typeof schema.minProperties === 'number' ? schema.minProperties : 0
  const most = typeof schema.maxProperties === 'number' ? schema.maxProperties : Infinity
  const names = new Set(required)
  for (const name of Object.keys(known)) {
    if (names.size < (isRoomy ? most : least) && known[name] !== false) names.add(name)
  }
  for (let extra = 1; names.size < least; extra++) names.add(`extra_${extra}`)
  return [...names]
}

function fitArray(schema: JsonRecord, place: Place): Json[] {
  const leading = Array.isArray(schema.prefixItems) ? schema.prefixItems : []
  const least = typeof schema.minItems === 'number' ? schema.minItems : 0
  const most = typeof schema.maxItems === 'number' ? schema.maxItems : Infinity
  const wanted = place.depth < roomyDepth ? Math.max(leading.length, 1) : 0
  const rest = schema.items ?? true
  const length = rest === false ? Math.min(leading.length, most) : Math.max(least, Math.min(wanted, most))
  return Array.from({ length }, (_, index) =>
    fitValue(leading[index] ?? rest, { ...place, ordinal: place.ordinal + index, depth: place.depth + 1 }),
  )
}
