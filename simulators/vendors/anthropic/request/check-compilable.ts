import { isRecord, type Json, type JsonRecord } from '../../json.ts'
import { refuse } from '../refuse.ts'
import { refuseField } from './read-fields.ts'

const most = { strictTools: 20, optional: 24, unions: 16, properties: 400 }

/** Refuses schemas that the vendor would have to compile and cannot: recursive ones, and too large ones together. */
export function checkCompilable(schemas: readonly { schema: Json; at: string }[]): void {
  if (schemas.length > most.strictTools) {
    const message = `Too many strict tools (${schemas.length}). The maximum number of strict tools supported is ${most.strictTools}.`
    throw refuse(400, message)
  }
  const size = { optional: 0, unions: 0, properties: 0 }
  for (const { schema, at } of schemas) {
    if (!isRecord(schema)) continue
    refuseRecursion(schema, at)
    measure(schema, size)
  }
  if (size.optional > most.optional) {
    throw refuse(
      400,
      `Schemas contains too many optional parameters (${size.optional}), which would make grammar compilation inefficient. Reduce the number of optional parameters in your tool schemas (limit: ${most.optional}).`,
    )
  }
  if (size.unions > most.unions) {
    throw refuse(
      400,
      `Schemas contains too many parameters with union types (${size.unions} parameters with type arrays or anyOf). This causes exponential compilation cost. Reduce the number of nullable or union-typed parameters (limit: ${most.unions} parameters with unions).`,
    )
  }
  if (size.properties > most.properties) {
    throw refuse(
      400,
      'The compiled grammar is too large, which would cause performance issues. Simplify your tool schemas or reduce the number of strict tools.',
    )
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
    const list = isRecord(inner) ? Object.values(inner) : Array.isArray(inner) ? inner : []
    if (isRecord(inner) && ('type' in inner || 'anyOf' in inner)) measure(inner, size)
    else for (const one of list) if (isRecord(one)) measure(one, size)
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
      const [, word = '', name = ''] = /^#\/(\$defs|definitions)\/(.+)$/.exec(reference) ?? []
      const definitions = schema[word]
      if (isRecord(definitions) && definitions[name] !== undefined) {
        follow(definitions[name], [...path, reference])
      }
    }
    for (const [word, inner] of Object.entries(rest)) {
      if (word !== '$defs' && word !== 'definitions') follow(inner, path)
    }
  }
  follow(schema, [])
}
