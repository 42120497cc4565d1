import fc from 'fast-check'
import { isRecord, type Json, type JsonRecord } from '../../server/json.ts'

/** Down to this depth, optional properties and items are included. Below it, branches are chosen by size. */
const fullDepth = 4
/** Maximum depth. A schema that requires endless nesting gets an invalid value. */
const maxDepth = 40
/** Maximum number of references and allOf that are followed in one place. */
const maxSteps = 64

/**
 * Returns a value that is valid for a JSON Schema. The seed determines the value. Of `anyOf` and `oneOf` the first
 * branch that is not null is chosen. `not`, `if`, `contains`, `uniqueItems`, `dependent…` and `patternProperties` are
 * ignored.
 */
export function fitSchema(schema: Json, { seed = 0 }: { seed?: number } = {}): Json {
  const arbitrary = arbitraryOf(schema, { root: schema, depth: 0 })
  return fc.sample(arbitrary, { seed: seed | 0, numRuns: 1 })[0] ?? null
}

/** The place of a schema in the value. References are relative to the root. */
interface Place {
  readonly root: Json
  readonly depth: number
}

function arbitraryOf(schema: Json, place: Place): fc.Arbitrary<Json> {
  const flat = flatten(schema, place)
  if (flat.const !== undefined) return fc.constant(flat.const)
  if (Array.isArray(flat.enum) && flat.enum.length > 0) return fc.constantFrom(...flat.enum)
  switch (typeOf(flat)) {
    case 'object':
      return place.depth < maxDepth ? objectOf(flat, place) : fc.constant({})
    case 'array':
      return place.depth < maxDepth ? arrayOf(flat, place) : fc.constant([])
    case 'string':
      return stringOf(flat)
    case 'integer':
    case 'number':
      return numberOf(flat)
    case 'boolean':
      return fc.boolean()
    default:
      return fc.constant(null)
  }
}

/** Returns the first type that is not null, else the type that the schema's keywords imply. */
function typeOf(schema: JsonRecord): Json {
  if (schema.type !== undefined) return list(schema.type).find(type => type !== 'null') ?? 'null'
  if (/"(properties|required|additionalProperties|minProperties)"/.test(keywordsOf(schema))) return 'object'
  if (/"(items|prefixItems|minItems|maxItems)"/.test(keywordsOf(schema))) return 'array'
  return /"(minimum|maximum|exclusive\w+|multipleOf)"/.test(keywordsOf(schema)) ? 'number' : 'string'
}

function keywordsOf(schema: JsonRecord): string {
  return JSON.stringify(Object.keys(schema))
}

/** Returns required properties, then optional ones, then extra ones up to `minProperties`. */
function objectOf(schema: JsonRecord, place: Place): fc.Arbitrary<JsonRecord> {
  const known = isRecord(schema.properties) ? schema.properties : {}
  const minimum = numberOr(schema.minProperties, 0)
  const maximum = place.depth <= fullDepth ? numberOr(schema.maxProperties, Infinity) : minimum
  const names = new Set(list(schema.required ?? []).filter(name => typeof name === 'string'))
  for (const name of Object.keys(known)) if (names.size < maximum && known[name] !== false) names.add(name)
  for (let extra = 1; names.size < minimum; extra++) names.add(`extra_${extra}`)
  const below = { ...place, depth: place.depth + 1 }
  const schemaOf = (name: string) => (Object.hasOwn(known, name) ? known[name] : schema.additionalProperties)
  const entries = [...names].map(name =>
    fc.tuple(fc.constant(name), arbitraryOf(schemaOf(name) ?? true, below)),
  )
  return fc.tuple(...entries).map(values => Object.fromEntries(values))
}

function arrayOf(schema: JsonRecord, place: Place): fc.Arbitrary<Json[]> {
  const below = { ...place, depth: place.depth + 1 }
  const leading = Array.isArray(schema.prefixItems) ? schema.prefixItems : []
  const rest = schema.items ?? true
  const maximum = rest === false ? leading.length : numberOr(schema.maxItems, Infinity)
  const preferred = place.depth <= fullDepth ? Math.max(leading.length, 1) : 0
  const length = Math.min(Math.max(numberOr(schema.minItems, 0), preferred), maximum)
  return fc.tuple(...Array.from({ length }, (_, index) => arbitraryOf(leading[index] ?? rest, below)))
}

/** Returns a string. A format or a pattern overrides the length. */
function stringOf({ format, pattern, minLength, maxLength }: JsonRecord): fc.Arbitrary<string> {
  const formatted = typeof format === 'string' ? formats.get(format) : undefined
  if (formatted) return formatted
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern), { size: 'xsmall' })
  const minimum = numberOr(minLength, 0)
  const maximum = Math.min(numberOr(maxLength, Infinity), Math.max(minimum, 12))
  const lengths = { minLength: Math.min(maximum, Math.max(minimum, 6)), maxLength: maximum }
  return fc.string({ unit: letter, ...lengths, size: 'max' })
}

const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz')
const word = fc.stringMatching(/^[a-z]{6,12}$/)
const instant = fc
  .date({ min: new Date('2026-01-01'), max: new Date('2026-12-31'), noInvalidDate: true })
  .map(date => `${date.toISOString().slice(0, 19)}Z`)

const formats = new Map<string, fc.Arbitrary<string>>([
  ['date-time', instant],
  ['date', instant.map(text => text.slice(0, 10))],
  ['time', instant.map(text => text.slice(11))],
  ['duration', fc.integer({ min: 1, max: 30 }).map(days => `P${days}D`)],
  ['email', word.map(text => `${text}@example.com`)],
  ['hostname', word.map(text => `${text}.example.com`)],
  ['ipv4', fc.ipV4()],
  ['ipv6', fc.ipV6()],
  ['uri', word.map(text => `https://example.com/${text}`)],
  ['uuid', fc.uuid()],
])

const maxChoices = 1000

/** Returns a multiple of `multipleOf` (default 1) within the bounds, or a fraction if a number can be one. */
function numberOf(schema: JsonRecord): fc.Arbitrary<number> {
  const step = numberOr(schema.multipleOf, 1)
  const low = Math.max(numberOr(schema.minimum, -Infinity), numberOr(schema.exclusiveMinimum, -Infinity))
  const high = Math.min(numberOr(schema.maximum, Infinity), numberOr(schema.exclusiveMaximum, Infinity))
  const start = low > -Infinity ? low : high < maxChoices * step ? high - maxChoices * step : 1
  let first = Math.ceil(start / step)
  if (first * step <= numberOr(schema.exclusiveMinimum, -Infinity)) first++
  let last = Math.min(Math.floor(high / step), first + maxChoices - 1)
  if (last * step >= numberOr(schema.exclusiveMaximum, Infinity)) last--
  if (first <= last) return fc.integer({ min: first, max: last }).map(count => count * step + 0)
  if (typeOf(schema) === 'integer' || schema.multipleOf !== undefined) return fc.constant(0)
  return fc.integer({ min: 1, max: maxChoices }).map(part => low + ((high - low) * part) / (maxChoices + 1))
}

/** Merges a schema with the target of `$ref`, the parts of `allOf` and one branch of `anyOf` and `oneOf`. */
function flatten(schema: Json, place: Place, steps = 0): JsonRecord {
  if (!isRecord(schema) || steps > maxSteps) return {}
  const { $ref: reference, allOf, anyOf, oneOf, ...own } = schema
  const parts: Json[] = Array.isArray(allOf) ? [...allOf] : []
  if (typeof reference === 'string') parts.push(followPointer(place.root, reference))
  for (const branches of [anyOf, oneOf]) {
    if (Array.isArray(branches)) parts.push(chooseBranch(branches, place))
  }
  return Object.assign(own, ...parts.map(part => flatten(part, place, steps + 1)))
}

/** Returns the target of a reference like `#/$defs/node`, or `true` if it does not exist. */
function followPointer(root: Json, reference: string): Json {
  const [, ...names] = decodeURIComponent(reference).split('/')
  let found: Json | undefined = root
  for (const name of names.map(text => text.replaceAll('~1', '/').replaceAll('~0', '~'))) {
    if (Array.isArray(found)) found = found[Number(name)]
    else found = isRecord(found) ? found[name] : undefined
  }
  return found ?? true
}

/** Returns the first branch that is not null; below `fullDepth` the simplest one, so that recursion ends. */
function chooseBranch(branches: readonly Json[], { depth }: Place): Json {
  if (depth < fullDepth) return branches.find(branch => sizeOf(branch) > 0) ?? branches[0] ?? true
  return branches.toSorted((one, other) => sizeOf(one) - sizeOf(other))[0] ?? true
}

function sizeOf(branch: Json): number {
  if (!isRecord(branch)) return 3
  if (branch.type === 'null') return 0
  if (branch.const !== undefined || branch.enum !== undefined) return 1
  if (typeof branch.type === 'string' && branch.type !== 'object') return branch.type === 'array' ? 2 : 1
  return branch.$ref === undefined ? 3 : 4
}

function list(value: Json): Json[] {
  return Array.isArray(value) ? value : [value]
}

function numberOr(value: Json | undefined, fallback: number): number {
  return typeof value === 'number' ? value : fallback
}
