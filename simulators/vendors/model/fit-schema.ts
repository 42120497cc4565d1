import fc from 'fast-check'
import { isRecord, type Json, type JsonRecord } from '../../server/json.ts'

/** Down to this depth, optional properties and items are included. Below it, simple branches are chosen. */
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
  const implied = flat.properties ? 'object' : flat.items ? 'array' : 'string'
  const type = [flat.type ?? implied].flat().find(name => name !== 'null')
  if (type === 'object') return place.depth < maxDepth ? objectOf(flat, place) : fc.constant({})
  if (type === 'array') return place.depth < maxDepth ? arrayOf(flat, place) : fc.constant([])
  if (type === 'string') return stringOf(flat)
  if (type === 'integer' || type === 'number') return numberOf(flat)
  return type === 'boolean' ? fc.boolean() : fc.constant(null)
}

/** Returns required properties, then optional ones, then extra ones up to `minProperties`. */
function objectOf(schema: JsonRecord, place: Place): fc.Arbitrary<JsonRecord> {
  const known = isRecord(schema.properties) ? schema.properties : {}
  const minimum = numberOr(schema.minProperties, 0)
  const maximum = place.depth <= fullDepth ? numberOr(schema.maxProperties, Infinity) : minimum
  const names = new Set([schema.required ?? []].flat().filter(name => typeof name === 'string'))
  for (const name of Object.keys(known)) if (names.size < maximum && known[name] !== false) names.add(name)
  for (let extra = 1; names.size < minimum; extra++) names.add(`extra_${extra}`)
  const schemaOf = (name: string) => (Object.hasOwn(known, name) ? known[name] : schema.additionalProperties)
  const entries = [...names].map(name => fc.tuple(fc.constant(name), inside(schemaOf(name), place)))
  return fc.tuple(...entries).map(values => Object.fromEntries(values))
}

function inside(schema: Json | undefined, place: Place): fc.Arbitrary<Json> {
  return arbitraryOf(schema ?? true, { ...place, depth: place.depth + 1 })
}

function arrayOf(schema: JsonRecord, place: Place): fc.Arbitrary<Json[]> {
  const leading = Array.isArray(schema.prefixItems) ? schema.prefixItems : []
  const maximum = schema.items === false ? leading.length : numberOr(schema.maxItems, Infinity)
  const preferred = place.depth <= fullDepth ? Math.max(leading.length, 1) : 0
  const length = Math.min(Math.max(numberOr(schema.minItems, 0), preferred), maximum)
  return fc.tuple(...Array.from({ length }, (_, index) => inside(leading[index] ?? schema.items, place)))
}

/** Returns a string. A format or a pattern overrides the length. */
function stringOf({ format, pattern, minLength, maxLength }: JsonRecord): fc.Arbitrary<string> {
  const formatted = formats.get(String(format))
  if (formatted) return formatted
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern), { size: 'xsmall' })
  const minimum = numberOr(minLength, 0)
  const maximum = Math.min(numberOr(maxLength, Infinity), Math.max(minimum, 12))
  const lengths = { minLength: Math.min(maximum, Math.max(minimum, 6)), maxLength: maximum }
  return fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), ...lengths, size: 'max' })
}

const word = fc.stringMatching(/^[a-z]{6,12}$/)
const instant = fc
  .integer({ min: 1_767_225_600, max: 1_798_000_000 })
  .map(seconds => new Date(seconds * 1000))
const formats = new Map<string, fc.Arbitrary<string>>([
  ['date-time', instant.map(date => date.toISOString())],
  ['date', instant.map(date => date.toISOString().slice(0, 10))],
  ['time', instant.map(date => date.toISOString().slice(11))],
  ['duration', fc.constant('P3D')],
  ['email', word.map(text => `${text}@example.com`)],
  ['hostname', word.map(text => `${text}.example.com`)],
  ['ipv4', fc.ipV4()],
  ['ipv6', fc.ipV6()],
  ['uri', word.map(text => `https://example.com/${text}`)],
  ['uuid', fc.uuid()],
])

const maxChoices = 1000

/** Returns a multiple of `multipleOf` (default 1) within the bounds, or a fraction if none is. */
function numberOf(schema: JsonRecord): fc.Arbitrary<number> {
  const step = numberOr(schema.multipleOf, 1)
  const above = numberOr(schema.exclusiveMinimum, -Infinity)
  const below = numberOr(schema.exclusiveMaximum, Infinity)
  const low = Math.max(numberOr(schema.minimum, -Infinity), above)
  const high = Math.min(numberOr(schema.maximum, Infinity), below)
  const start = low > -Infinity ? low : high < maxChoices * step ? high - maxChoices * step : 1
  const first = Math.ceil(start / step) + Number(Math.ceil(start / step) * step <= above)
  const last = Math.floor(high / step) - Number(Math.floor(high / step) * step >= below)
  if (first > last) return fc.constant((low + high) / 2)
  return fc
    .integer({ min: first, max: Math.min(last, first + maxChoices - 1) })
    .map(count => count * step + 0)
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
  for (const name of names.map(text => text.replaceAll('~1', '/').replaceAll('~0', '~')))
    found = isRecord(found) ? found[name] : undefined
  return found ?? true
}

/** Returns the first branch that is not null; below `fullDepth` a simple one, so that recursion ends. */
function chooseBranch(branches: readonly Json[], { depth }: Place): Json {
  const isSimple = (branch: Json) => isRecord(branch) && branch.$ref === undefined && branch.type !== 'object'
  const isNull = (branch: Json) => isRecord(branch) && branch.type === 'null'
  const found = branches.find(branch => (depth < fullDepth ? !isNull(branch) : isSimple(branch)))
  return found ?? branches[0] ?? true
}

function numberOr(value: Json | undefined, fallback: number): number {
  return typeof value === 'number' ? value : fallback
}
