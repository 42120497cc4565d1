import { isRecord } from '../../../../platform/is-record.ts'
import { isEnforced } from './enforced-words.ts'

/** The vendor compiles no schemas that are larger, and none that contain themselves. */
const most = { tools: 20, optional: 24, unions: 16, properties: 200 }

/**
 * Whether the vendor can hold an answer to a schema: not where it is recursive, has more optional properties, unions
 * or properties than the vendor compiles, or objects whose properties have no names. Each part is looked at once.
 */
export function isCompilable(schema: Record<string, unknown>): boolean {
  const size = emptySize()
  measure(schema, size)
  return !size.isOpen && isSmall(size) && !isRecursive(schema)
}

/**
 * Opens the strictness of a request's tools, which the vendor compiles together: answers of one schema after the other
 * whether its tool may be strict. Not where the vendor cannot hold to every word of it.
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

/** An object of which nothing is said but that it is one: closed, as the vendor wants it, it could only be empty. */
export function isOpenObject(schema: Record<string, unknown>): boolean {
  const saysMore = ['properties', '$ref', 'anyOf', 'oneOf', 'allOf'].some(word => word in schema)
  return isObject(schema) && !saysMore && schema.additionalProperties !== false
}

/** A schema of objects, said so or not. */
export function isObject({ type, properties }: Record<string, unknown>): boolean {
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

/** References are followed from definition to definition: one that leads back to where it came from is recursive. */
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
