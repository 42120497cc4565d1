import { isRecord, type Json, type JsonRecord } from '../../json.ts'
import { refuseField } from './read-fields.ts'

const unsupported = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'oneOf',
  'not',
]

/** Checks what the vendor demands of a schema that it must keep to: closed objects, and no bounds. */
export function checkSchema(schema: Json | undefined, at: string): void {
  if (!isRecord(schema)) return
  const types = [schema.type ?? []].flat()
  if (types.includes('object') && schema.additionalProperties !== false)
    throw refuseField(at, "For 'object' type, 'additionalProperties' must be explicitly set to false")
  const words = unsupported.filter(word => word in schema)
  if (words.length > 0) {
    throw refuseField(at, `For '${types.join()}' type, properties ${words.join(', ')} are not supported`)
  }
  if (schema.minItems !== undefined && schema.minItems !== 0 && schema.minItems !== 1)
    throw refuseField(at, "For 'array' type, 'minItems' values other than 0 or 1 are not supported")
  for (const inner of innerSchemas(schema)) checkSchema(inner, at)
}

function* innerSchemas(schema: JsonRecord): Iterable<Json> {
  for (const word of ['properties', '$defs', 'definitions']) {
    const named = schema[word]
    if (isRecord(named)) yield* Object.values(named)
  }
  if (schema.items !== undefined) yield schema.items
  for (const word of ['anyOf', 'allOf']) {
    const branches = schema[word]
    if (Array.isArray(branches)) yield* branches
  }
}
