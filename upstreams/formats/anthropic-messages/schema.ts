import { isRecord } from '../../../platform/checks.ts'
import { invalid } from '../shared/refusals.ts'

/**
 * Limits of the schemas that the vendor compiles: for all strict tools of a request together, and for an
 * answer.
 */
const limits = { tools: 20, optional: 24, unions: 16, properties: 200 }

/**
 * Whether the vendor can compile a schema: not if it is recursive, has too many optional properties, unions
 * or properties, or has objects that allow any properties. Takes time linear in its size.
 */
export function isCompilable(schema: Record<string, unknown>): boolean {
  const size = emptySize()
  measure(schema, size)
  return !size.isOpen && isSmall(size) && !isRecursive(schema)
}

/**
 * Decides which tools of a request may be strict. The vendor compiles the schemas of all strict tools together. The
 * returned function is called with one schema after the other, and returns whether the schema fits into the rest of the
 * limits. A schema with keywords that the vendor does not enforce does not fit.
 */
export function openStrictTools(): (schema: Record<string, unknown>) => boolean {
  const size = emptySize()
  let tools = 0
  return schema => {
    if (tools === limits.tools || !isFullyEnforced(schema) || !isCompilable(schema)) return false
    const before = { ...size }
    measure(schema, size)
    const fits = isSmall(size)
    if (fits) tools += 1
    else Object.assign(size, before)
    return fits
  }
}

function emptySize(): Size {
  return { optional: 0, unions: 0, properties: 0, isOpen: false }
}

function isSmall({ optional, unions, properties }: Size): boolean {
  return optional <= limits.optional && unions <= limits.unions && properties <= limits.properties
}

/** An object without declared properties. The vendor requires closed objects, so it could only be empty. */
function isOpenObject(schema: Record<string, unknown>): boolean {
  const hasContents = ['properties', '$ref', 'anyOf', 'oneOf', 'allOf'].some(keyword => keyword in schema)
  return isObject(schema) && !hasContents && schema.additionalProperties !== false
}

/** Whether a schema describes objects, with or without `type`. */
function isObject({ type, properties }: Record<string, unknown>): boolean {
  return type === undefined ? properties !== undefined : [type].flat().includes('object')
}

/** Whether the vendor enforces every keyword of a schema unchanged: objects are closed, and it has no bounds. */
function isFullyEnforced(schema: Record<string, unknown>): boolean {
  const keywords = Object.entries(schema)
  if (!keywords.every(([keyword, value]) => keyword === 'additionalProperties' || isEnforced(keyword, value)))
    return false
  if (isObject(schema) && schema.additionalProperties !== false) return false
  return innerSchemas(schema).every(isFullyEnforced)
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

/** Whether a definition refers back to itself, directly or through others. */
function isRecursive(schema: Record<string, unknown>): boolean {
  const named = new Map<string, Record<string, unknown>>([['#', schema]])
  for (const keyword of ['$defs', 'definitions']) {
    const definitions = schema[keyword]
    if (!isRecord(definitions)) continue
    for (const [name, inner] of Object.entries(definitions)) {
      if (isRecord(inner)) named.set(`#/${keyword}/${name}`, inner)
    }
  }
  if (named.size > limits.properties) return true // too many to check
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

/**
 * Returns the references in a schema. With `isWhole`, the references in its definitions are left out, because they are
 * followed by name.
 */
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
    ...named.flatMap(keyword => (isRecord(schema[keyword]) ? Object.values(schema[keyword]) : [])),
    schema.items,
    ...['anyOf', 'oneOf', 'allOf'].flatMap(keyword => schema[keyword] ?? []),
  ]
  return inner.filter(isRecord)
}

/**
 * Returns a schema in the form that the vendor accepts for answers: every object is closed, and only keywords that the
 * vendor enforces are left. Other keywords, such as bounds, are moved into the description, where the model reads them.
 * Throws `invalid_request` with `at` for objects that allow any properties, because they cannot be closed.
 */
export function narrowSchema(schema: Record<string, unknown>, at: string): Record<string, unknown> {
  const narrow: Record<string, unknown> = {}
  const notEnforced = new Map<string, unknown>()
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'oneOf') narrow.anyOf = narrowAll(value, `${at}.oneOf`)
    else if (isEnforced(keyword, value)) narrow[keyword] = narrowKeyword(keyword, value, `${at}.${keyword}`)
    else if (keyword !== '$schema' && keyword !== 'additionalProperties') notEnforced.set(keyword, value)
  }
  if (isOpenObject(schema)) {
    throw invalid(at, 'The model answers in objects whose properties are named: list them in properties.')
  }
  if (isObject(schema)) narrow.additionalProperties = false
  if (notEnforced.size > 0) narrow.description = describe(schema.description, Object.fromEntries(notEnforced))
  return narrow
}

function narrowKeyword(keyword: string, value: unknown, at: string): unknown {
  if (keyword === 'properties' || keyword === '$defs' || keyword === 'definitions')
    return narrowNamed(value, at)
  if (keyword === 'anyOf' || keyword === 'allOf') return narrowAll(value, at)
  return keyword === 'items' ? narrowAny(value, at) : value
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

function describe(description: unknown, notEnforced: Record<string, unknown>): string {
  const rest = `It must fit ${JSON.stringify(notEnforced)}.`
  return typeof description === 'string' ? `${description} ${rest}` : rest
}

/** The keywords of JSON Schema that the vendor enforces. */
const enforced = new Set(
  'type description title enum const default $ref $defs definitions properties required items anyOf allOf pattern'.split(
    ' ',
  ),
)
const formats = new Set('date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' '))

/** Whether the vendor enforces this keyword with this value. */
function isEnforced(keyword: string, value: unknown): boolean {
  if (keyword === 'format') return typeof value === 'string' && formats.has(value)
  if (keyword === 'minItems') return value === 0 || value === 1
  return enforced.has(keyword)
}
