import { isRecord } from '../../../platform/is-record.ts'
import { Problem } from '../../../schema/errors.ts'

/** The vendor compiles no schemas that are larger, and none that contain themselves. */
const most = { tools: 20, optional: 24, unions: 16, properties: 200 }

/**
 * Whether the vendor can hold an answer to a schema: not where it is recursive, has more optional properties,
 * unions or properties than the vendor compiles, or objects whose properties have no names. Each part is
 * looked at once.
 */
export function isCompilable(schema: Record<string, unknown>): boolean {
  const size = emptySize()
  measure(schema, size)
  return !size.isOpen && isSmall(size) && !isRecursive(schema)
}

/**
 * Opens the strictness of a request's tools, which the vendor compiles together: answers of one schema after
 * the other whether its tool may be strict. Not where the vendor cannot hold to every word of it.
 */
export function openStrictness(): (schema: Record<string, unknown>) => boolean {
  const size = emptySize()
  let tools = 0
  return schema => {
    if (tools === most.tools || !isNarrow(schema) || !isCompilable(schema)) return false
    const before = { ...size }
    measure(schema, size)
    const isHeld = isSmall(size)
    if (isHeld) tools += 1
    else Object.assign(size, before)
    return isHeld
  }
}

function emptySize(): Size {
  return { optional: 0, unions: 0, properties: 0, isOpen: false }
}

function isSmall({ optional, unions, properties }: Size): boolean {
  return optional <= most.optional && unions <= most.unions && properties <= most.properties
}

/**
 * An object of which nothing is said but that it is one: closed, as the vendor wants it, it could only be
 * empty.
 */
function isOpenObject(schema: Record<string, unknown>): boolean {
  const saysMore = ['properties', '$ref', 'anyOf', 'oneOf', 'allOf'].some(word => word in schema)
  return isObject(schema) && !saysMore && schema.additionalProperties !== false
}

/** A schema of objects, said so or not. */
function isObject({ type, properties }: Record<string, unknown>): boolean {
  return type === undefined ? properties !== undefined : [type].flat().includes('object')
}

/** Whether the vendor can hold to every word of a schema as it stands: closed objects, and no bounds. */
function isNarrow(schema: Record<string, unknown>): boolean {
  const words = Object.entries(schema)
  if (!words.every(([word, value]) => word === 'additionalProperties' || isEnforced(word, value)))
    return false
  if (isObject(schema) && schema.additionalProperties !== false) return false
  return innerSchemas(schema).every(isNarrow)
}

interface Size {
  optional: number
  unions: number
  properties: number
  isOpen: boolean
}

function measure(schema: Record<string, unknown>, size: Size): void {
  if (isOpenObject(schema)) size.isOpen = true
  if (Array.isArray(schema.type) || 'anyOf' in schema || 'oneOf' in schema) size.unions += 1
  if (isRecord(schema.properties)) {
    const names = Object.keys(schema.properties)
    const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : [])
    size.properties += names.length
    for (const name of names) if (!required.has(name)) size.optional += 1
  }
  for (const inner of innerSchemas(schema)) measure(inner, size)
}

/**
 * References are followed from definition to definition: one that leads back to where it came from is
 * recursive.
 */
function isRecursive(schema: Record<string, unknown>): boolean {
  const named = new Map<string, Record<string, unknown>>([['#', schema]])
  for (const word of ['$defs', 'definitions']) {
    const definitions = schema[word]
    if (!isRecord(definitions)) continue
    for (const [name, inner] of Object.entries(definitions)) {
      if (isRecord(inner)) named.set(`#/${word}/${name}`, inner)
    }
  }
  if (named.size > most.properties) return true // more than are worth following
  const done = new Set<string>()
  const open = new Set<string>()
  const leadsBack = (name: string): boolean => {
    if (open.has(name)) return true
    const target = named.get(name)
    if (done.has(name) || !target) return false
    open.add(name)
    const found = referencesIn(target, name === '#').some(leadsBack)
    open.delete(name)
    done.add(name)
    return found
  }
  return [...named.keys()].some(leadsBack)
}

/** What a schema refers to; the definitions of the whole schema stand for themselves. */
function referencesIn(schema: Record<string, unknown>, isWhole: boolean): string[] {
  const references: string[] = []
  const collect = (part: Record<string, unknown>, isTop: boolean) => {
    if (typeof part.$ref === 'string') references.push(part.$ref)
    for (const inner of innerSchemas(part, !isTop)) collect(inner, false)
  }
  collect(schema, isWhole)
  return references
}

function innerSchemas(schema: Record<string, unknown>, withDefinitions = true): Record<string, unknown>[] {
  const named = withDefinitions ? ['properties', '$defs', 'definitions'] : ['properties']
  const inner = [
    ...named.flatMap(word => (isRecord(schema[word]) ? Object.values(schema[word]) : [])),
    schema.items,
    ...['anyOf', 'oneOf', 'allOf'].flatMap(word => schema[word] ?? []),
  ]
  return inner.filter(isRecord)
}

/**
 * A schema as the vendor takes it for answers: every object closed, and only words that it can enforce;
 * bounds and the like move into the description. An answer that fits it fits the client's schema as far as
 * the vendor can see. Throws `invalid_request`, naming `at`, for objects whose names are open, which no
 * closed object can stand for.
 */
export function narrowSchema(schema: Record<string, unknown>, at: string): Record<string, unknown> {
  const narrow: Record<string, unknown> = {}
  const told = new Map<string, unknown>()
  for (const [word, value] of Object.entries(schema)) {
    if (word === 'oneOf') narrow.anyOf = narrowAll(value, `${at}.oneOf`)
    else if (isEnforced(word, value)) narrow[word] = narrowWord(word, value, `${at}.${word}`)
    else if (word !== '$schema' && word !== 'additionalProperties') told.set(word, value)
  }
  if (isOpenObject(schema)) {
    const message = 'The model answers in objects whose properties are named: list them in properties.'
    throw new Problem('invalid_request', { param: at, message })
  }
  if (isObject(schema)) narrow.additionalProperties = false
  if (told.size > 0) narrow.description = describe(schema.description, Object.fromEntries(told))
  return narrow
}

function narrowWord(word: string, value: unknown, at: string): unknown {
  if (word === 'properties' || word === '$defs' || word === 'definitions') return narrowNamed(value, at)
  if (word === 'anyOf' || word === 'allOf') return narrowAll(value, at)
  return word === 'items' ? narrowAny(value, at) : value
}

function narrowNamed(value: unknown, at: string): unknown {
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, narrowAny(inner, `${at}.${name}`)]),
  )
}

function narrowAll(value: unknown, at: string): unknown {
  return Array.isArray(value) ? value.map((inner, index) => narrowAny(inner, `${at}[${index}]`)) : value
}

function narrowAny(value: unknown, at: string): unknown {
  return isRecord(value) ? narrowSchema(value, at) : value
}

function describe(description: unknown, told: Record<string, unknown>): string {
  const rest = `It must fit ${JSON.stringify(told)}.`
  return typeof description === 'string' ? `${description} ${rest}` : rest
}

/** What the vendor enforces. Other words of a schema are told to the model in its description. */
const enforced = new Set(
  'type description title enum const default $ref $defs definitions properties required items anyOf allOf pattern'.split(
    ' ',
  ),
)
const formats = new Set('date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' '))

/** Whether the vendor holds to this word of a schema. */
function isEnforced(word: string, value: unknown): boolean {
  if (word === 'format') return typeof value === 'string' && formats.has(value)
  if (word === 'minItems') return value === 0 || value === 1
  return enforced.has(word)
}
