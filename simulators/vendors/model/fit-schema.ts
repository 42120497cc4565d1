import fc from 'fast-check'
import { isRecord, type Json, type JsonRecord } from '../../server/json.ts'

/** Above this depth optional properties and items are filled in, and of branches the first is taken. */
const fullDepth = 4
/** A schema that requires endless nesting ends here, and then does not fit. */
const deepest = 40
/** References that only point at each other end here. */
const maxSteps = 64

/**
 * A value that fits a JSON Schema: types, enum, const, properties, items, prefixItems, bounds, formats, patterns,
 * anyOf, oneOf, allOf, $ref. Of anyOf and oneOf the first branch that is not null is taken; `not`, `if`, `contains`,
 * `dependent…` and `patternProperties` are ignored. The same seed gives the same value.
 */
export function fitSchema(schema: Json, { seed = 0 }: { seed?: number } = {}): Json {
  const [value = null] = fc.sample(arbitraryOf(schema, { root: schema, depth: 0 }), {
    seed: seed | 0,
    numRuns: 1,
  })
  return value
}

/** Where in a value we are while it is being made; references point into the root. */
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
      return place.depth < deepest ? objectOf(flat, place) : fc.constant({})
    case 'array':
      return place.depth < deepest ? arrayOf(flat, place) : fc.constant([])
    case 'string':
      return stringOf(flat)
    case 'integer':
      return numberOf(flat, { isWhole: true })
    case 'number':
      return numberOf(flat, { isWhole: false })
    case 'boolean':
      return fc.boolean()
    default:
      return fc.constant(null)
  }
}

/** The type to produce: the first that is not null, else the one that the schema's other keywords belong to. */
function typeOf(schema: JsonRecord): Json {
  if (schema.type !== undefined) return list(schema.type).find(type => type !== 'null') ?? 'null'
  const hasOne = (...keywords: string[]): boolean => keywords.some(keyword => schema[keyword] !== undefined)
  if (hasOne('properties', 'required', 'additionalProperties', 'minProperties')) return 'object'
  if (hasOne('items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems')) return 'array'
  if (hasOne('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')) return 'number'
  return 'string'
}

/** Required properties first, then the optional ones, then made-up ones up to `minProperties`. */
function objectOf(schema: JsonRecord, place: Place): fc.Arbitrary<JsonRecord> {
  const known = isRecord(schema.properties) ? schema.properties : {}
  const least = numberOr(schema.minProperties, 0)
  const wanted = place.depth <= fullDepth ? numberOr(schema.maxProperties, Infinity) : least
  const names = new Set(list(schema.required ?? []).filter(name => typeof name === 'string'))
  for (const name of Object.keys(known)) if (names.size < wanted && known[name] !== false) names.add(name)
  for (let extra = 1; names.size < least; extra++) names.add(`extra_${extra}`)
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
  const most = rest === false ? leading.length : numberOr(schema.maxItems, Infinity)
  const wanted = place.depth <= fullDepth ? Math.max(leading.length, 1) : 0
  const length = Math.min(Math.max(numberOr(schema.minItems, 0), wanted), most)
  if (schema.uniqueItems === true && leading.length === 0) {
    const sizes = { minLength: length, maxLength: length, selector: (value: Json) => JSON.stringify(value) }
    return fc.uniqueArray(arbitraryOf(rest, below), sizes)
  }
  return fc.tuple(...Array.from({ length }, (_, index) => arbitraryOf(leading[index] ?? rest, below)))
}

/** A format or pattern determines the length by itself. */
function stringOf({ format, pattern, minLength, maxLength }: JsonRecord): fc.Arbitrary<string> {
  const formatted = typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : undefined
  if (formatted) return formatted
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern), { size: 'xsmall' })
  const least = numberOr(minLength, 0)
  const most = Math.min(numberOr(maxLength, Infinity), Math.max(least, 12))
  return fc.string({
    unit: letter,
    minLength: Math.min(most, Math.max(least, 6)),
    maxLength: most,
    size: 'max',
  })
}

const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz')
const instant = fc
  .date({ min: new Date('2026-01-01'), max: new Date('2026-12-31'), noInvalidDate: true })
  .map(date => `${date.toISOString().slice(0, 19)}Z`)
const name = fc.stringMatching(/^[a-z]{6,12}$/)

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'date-time': instant,
  date: instant.map(text => text.slice(0, 10)),
  time: instant.map(text => text.slice(11)),
  duration: fc.integer({ min: 1, max: 30 }).map(days => `P${days}D`),
  email: name.map(text => `${text}@example.com`),
  hostname: name.map(text => `${text}.example.com`),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
  uri: name.map(text => `https://example.com/${text}`),
  'uri-reference': name.map(text => `/${text}`),
  url: name.map(text => `https://example.com/${text}`),
  uuid: fc.uuid(),
  'json-pointer': name.map(text => `/${text}`),
  regex: name.map(text => `^${text}$`),
}

const maxChoices = 1000

/** A number within the bounds, a multiple of `multipleOf` or 1; a fraction where none fits and it need not be whole. */
function numberOf(schema: JsonRecord, { isWhole }: { isWhole: boolean }): fc.Arbitrary<number> {
  const step = numberOr(schema.multipleOf, 1)
  const low = Math.max(numberOr(schema.minimum, -Infinity), numberOr(schema.exclusiveMinimum, -Infinity))
  const high = Math.min(numberOr(schema.maximum, Infinity), numberOr(schema.exclusiveMaximum, Infinity))
  const start = low > -Infinity ? low : high < maxChoices * step ? high - maxChoices * step : 1
  let first = Math.ceil(start / step)
  if (first * step <= numberOr(schema.exclusiveMinimum, -Infinity)) first++
  let last = Math.min(Math.floor(high / step), first + maxChoices - 1)
  if (last * step >= numberOr(schema.exclusiveMaximum, Infinity)) last--
  if (first <= last) return fc.integer({ min: first, max: last }).map(count => count * step + 0)
  if (isWhole || schema.multipleOf !== undefined) return fc.constant(0)
  return fc.integer({ min: 1, max: maxChoices }).map(part => low + ((high - low) * part) / (maxChoices + 1))
}

/** A schema without references, allOf, anyOf or oneOf: what they require, or the branch taken, in one record. */
function flatten(schema: Json, place: Place, steps = 0): JsonRecord {
  if (!isRecord(schema) || steps > maxSteps) return {}
  const { $ref: reference, allOf, anyOf, oneOf, ...own } = schema
  const parts: Json[] = Array.isArray(allOf) ? [...allOf] : []
  if (typeof reference === 'string') parts.push(followPointer(place.root, reference))
  for (const branches of [anyOf, oneOf]) {
    if (Array.isArray(branches)) parts.push(chooseBranch(branches, place))
  }
  return parts.reduce<JsonRecord>((flat, part) => merge(flat, flatten(part, place, steps + 1)), own)
}

/** What a reference like `#/$defs/node` points at; a schema that allows everything where that is nothing. */
function followPointer(root: Json, reference: string): Json {
  const [, ...names] = decodeURIComponent(reference).split('/')
  let found: Json | undefined = root
  for (const name of names.map(text => text.replaceAll('~1', '/').replaceAll('~0', '~'))) {
    if (Array.isArray(found)) found = found[Number(name)]
    else found = isRecord(found) ? found[name] : undefined
  }
  return found ?? true
}

/** The first branch that is not null; far down the simplest, so that recursive schemas come to an end. */
function chooseBranch(branches: readonly Json[], { depth }: Place): Json {
  const isNull = (branch: Json) => isRecord(branch) && branch.type === 'null'
  const size = (branch: Json): number => {
    if (isNull(branch)) return 0
    if (!isRecord(branch)) return 3
    if (branch.const !== undefined || branch.enum !== undefined) return 1
    if (typeof branch.type === 'string' && branch.type !== 'object') return branch.type === 'array' ? 2 : 1
    return branch.$ref === undefined ? 3 : 4
  }
  if (depth >= fullDepth) return branches.toSorted((one, other) => size(one) - size(other))[0] ?? true
  return branches.find(branch => !isNull(branch)) ?? branches[0] ?? true
}

/** One schema that requires what two flat ones require. */
function merge(one: JsonRecord, other: JsonRecord): JsonRecord {
  const merged: JsonRecord = { ...one }
  for (const [keyword, value] of Object.entries(other)) {
    const present = merged[keyword]
    merged[keyword] = present === undefined ? value : mergeKeyword(keyword, present, value)
  }
  return merged
}

function mergeKeyword(keyword: string, one: Json, other: Json): Json {
  if (typeof one === 'number' && typeof other === 'number') {
    if (keyword === 'multipleOf') return one % other === 0 ? one : other
    return /^(exclusiveMinimum|min[A-Z]?.*)$/.test(keyword) ? Math.max(one, other) : Math.min(one, other)
  }
  const includes = (values: Json, value: Json) =>
    list(values).some(listed => JSON.stringify(listed) === JSON.stringify(value))
  switch (keyword) {
    case 'properties': {
      if (!isRecord(one) || !isRecord(other)) return other
      const both = Object.entries(one).filter(([name]) => Object.hasOwn(other, name))
      const merged = both.map(([name, schema]) => [name, { allOf: [schema, other[name] ?? true] }])
      return { ...one, ...other, ...Object.fromEntries(merged) }
    }
    case 'required':
      return [...new Set([...list(one), ...list(other)])]
    case 'enum':
      return list(one).filter(value => includes(other, value))
    case 'type': {
      const allows = (types: Json, type: Json) =>
        includes(types, type) || (type === 'integer' && includes(types, 'number'))
      return [...new Set([...list(one), ...list(other)])].filter(
        type => allows(one, type) && allows(other, type),
      )
    }
    case 'items':
    case 'additionalProperties':
      return { allOf: [one, other] }
    default:
      return other
  }
}

function list(value: Json): Json[] {
  return Array.isArray(value) ? value : [value]
}

function numberOr(value: Json | undefined, fallback: number): number {
  return typeof value === 'number' ? value : fallback
}
