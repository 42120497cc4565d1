import { isRecord, type Json, type JsonRecord } from '../../server/json.ts'
import { walkSchema } from '../model/walk-schema.ts'
import { refuse, refuseField } from './errors.ts'

const unsupported = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...['maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'oneOf', 'not'],
]

/** Throws for a schema that Anthropic cannot enforce: one with open objects or with bounds. */
export function checkSchema(root: Json | undefined, at: string): void {
  for (const { schema } of walkSchema(root)) {
    const types = [schema.type ?? []].flat()
    if (types.includes('object') && schema.additionalProperties !== false)
      throw refuseField(at, "For 'object' type, 'additionalProperties' must be explicitly set to false")
    const keywords = unsupported.filter(keyword => keyword in schema)
    if (keywords.length > 0)
      throw refuseField(at, `For '${types.join()}' type, properties ${keywords.join(', ')} are not supported`)
    if (![undefined, 0, 1].some(allowed => schema.minItems === allowed))
      throw refuseField(at, "For 'array' type, 'minItems' values other than 0 or 1 are not supported")
  }
}

const limits = { strictTools: 20, optional: 24, unions: 16, properties: 400 }

/** Throws for schemas that Anthropic cannot compile: recursive ones, or too many properties in total. */
export function checkCompilable(roots: readonly { schema: JsonRecord; at: string }[]): void {
  if (roots.length > limits.strictTools) {
    const message = `Too many strict tools (${roots.length}). The maximum number of strict tools supported is ${limits.strictTools}.`
    throw refuse(400, message)
  }
  const count = { optional: 0, unions: 0, properties: 0 }
  for (const root of roots) {
    refuseRecursion(root.schema, root.at)
    for (const { schema } of walkSchema(root.schema)) {
      if (Array.isArray(schema.type) || 'anyOf' in schema) count.unions++
      const required = new Set(Array.isArray(schema.required) ? schema.required : [])
      const names = isRecord(schema.properties) ? Object.keys(schema.properties) : []
      count.properties += names.length
      count.optional += names.filter(name => !required.has(name)).length
    }
  }
  if (count.optional > limits.optional) {
    const message = `Schemas contains too many optional parameters (${count.optional}), which would make grammar compilation inefficient. Reduce the number of optional parameters in your tool schemas (limit: ${limits.optional}).`
    throw refuse(400, message)
  }
  if (count.unions > limits.unions) {
    const message = `Schemas contains too many parameters with union types (${count.unions} parameters with type arrays or anyOf). This causes exponential compilation cost. Reduce the number of nullable or union-typed parameters (limit: ${limits.unions} parameters with unions).`
    throw refuse(400, message)
  }
  if (count.properties <= limits.properties) return
  const message =
    'The compiled grammar is too large, which would cause performance issues. Simplify your tool schemas or reduce the number of strict tools.'
  throw refuse(400, message)
}

/** Follows references from the root. Throws if one leads back to a schema that contains it. */
function refuseRecursion(root: JsonRecord, at: string): void {
  const follow = (part: Json, references: readonly string[]): void => {
    if (Array.isArray(part)) for (const one of part) follow(one, references)
    if (!isRecord(part)) return
    const { $ref: reference, $defs: _, definitions: __, ...rest } = part
    for (const inner of Object.values(rest)) follow(inner, references)
    if (typeof reference !== 'string') return
    if (reference === '#' || references.includes(reference))
      throw refuseField(at, `Circular reference detected in schema definitions: ${reference}`)
    const [, keyword = '', name = ''] = /^#\/(\$defs|definitions)\/(.+)$/.exec(reference) ?? []
    const definitions = root[keyword]
    const definition = isRecord(definitions) ? definitions[name] : undefined
    if (definition !== undefined) follow(definition, [...references, reference])
  }
  follow(root, [])
}
