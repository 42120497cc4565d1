import { isRecord, type Json, type JsonRecord } from '../../server/json.ts'
import { refuse, refuseField } from './errors.ts'

const unsupported = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...['maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'oneOf', 'not'],
]

/** Throws for a schema that Anthropic cannot enforce: one with open objects or with bounds. */
export function checkSchema(schema: Json | undefined, at: string): void {
  if (!isRecord(schema)) return
  const types = [schema.type ?? []].flat()
  if (types.includes('object') && schema.additionalProperties !== false)
    throw refuseField(at, "For 'object' type, 'additionalProperties' must be explicitly set to false")
  const keywords = unsupported.filter(keyword => keyword in schema)
  if (keywords.length > 0)
    throw refuseField(at, `For '${types.join()}' type, properties ${keywords.join(', ')} are not supported`)
  if (schema.minItems !== undefined && schema.minItems !== 0 && schema.minItems !== 1)
    throw refuseField(at, "For 'array' type, 'minItems' values other than 0 or 1 are not supported")
  checkSchema(schema.items, at)
  for (const keyword of ['properties', '$defs', 'definitions', 'anyOf', 'allOf']) {
    const inner = schema[keyword]
    if (typeof inner === 'object' && inner !== null)
      for (const one of Object.values(inner)) checkSchema(one, at)
  }
}

const limits = { strictTools: 20, optional: 24, unions: 16, properties: 400 }

/** Throws for schemas that Anthropic cannot compile: recursive ones, or too many properties in total. */
export function checkCompilable(schemas: readonly { schema: JsonRecord; at: string }[]): void {
  if (schemas.length > limits.strictTools) {
    const message = `Too many strict tools (${schemas.length}). The maximum number of strict tools supported is ${limits.strictTools}.`
    throw refuse(400, message)
  }
  const size = { optional: 0, unions: 0, properties: 0 }
  for (const { schema, at } of schemas) {
    refuseRecursion(schema, at)
    measure(schema, size)
  }
  if (size.optional > limits.optional) {
    const message = `Schemas contains too many optional parameters (${size.optional}), which would make grammar compilation inefficient. Reduce the number of optional parameters in your tool schemas (limit: ${limits.optional}).`
    throw refuse(400, message)
  }
  if (size.unions > limits.unions) {
    const message = `Schemas contains too many parameters with union types (${size.unions} parameters with type arrays or anyOf). This causes exponential compilation cost. Reduce the number of nullable or union-typed parameters (limit: ${limits.unions} parameters with unions).`
    throw refuse(400, message)
  }
  if (size.properties > limits.properties) {
    const message =
      'The compiled grammar is too large, which would cause performance issues. Simplify your tool schemas or reduce the number of strict tools.'
    throw refuse(400, message)
  }
}

function measure(schema: JsonRecord, size: { optional: number; unions: number; properties: number }): void {
  if (Array.isArray(schema.type) || 'anyOf' in schema) size.unions += 1
  if (isRecord(schema.properties)) {
    const required = new Set(Array.isArray(schema.required) ? schema.required : [])
    const names = Object.keys(schema.properties)
    size.properties += names.length
    size.optional += names.filter(name => !required.has(name)).length
  }
  for (const inner of Object.values(schema)) {
    if (isRecord(inner) && ('type' in inner || 'anyOf' in inner)) measure(inner, size)
    else if (typeof inner === 'object' && inner !== null)
      for (const one of Object.values(inner)) if (isRecord(one)) measure(one, size)
  }
}

function refuseRecursion(schema: JsonRecord, at: string): void {
  const follow = (part: Json, path: readonly string[]): void => {
    if (Array.isArray(part)) for (const one of part) follow(one, path)
    if (!isRecord(part)) return
    const { $ref: reference, ...rest } = part
    if (typeof reference === 'string') {
      if (reference === '#' || path.includes(reference))
        throw refuseField(at, `Circular reference detected in schema definitions: ${reference}`)
      const [, keyword = '', name = ''] = /^#\/(\$defs|definitions)\/(.+)$/.exec(reference) ?? []
      const definitions = schema[keyword]
      const definition = isRecord(definitions) ? definitions[name] : undefined
      if (definition !== undefined) follow(definition, [...path, reference])
    }
    for (const [keyword, inner] of Object.entries(rest))
      if (keyword !== '$defs' && keyword !== 'definitions') follow(inner, path)
  }
  follow(schema, [])
}
