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
    if ([schema.type].flat().includes('object') && schema.additionalProperties !== false)
      throw refuseField("For 'object' type, 'additionalProperties' must be explicitly set to false", at)
    const keyword = unsupported.find(name => name in schema)
    if (keyword) throw refuseField(`property ${keyword} is not supported`, at)
    if (Number(schema.minItems ?? 0) > 1)
      throw refuseField("'minItems' values other than 0 or 1 are not supported", at)
  }
}

const limits = { strictTools: 20, optional: 24, unions: 16, properties: 400 }

/** Throws for schemas that Anthropic cannot compile: recursive ones, or too many properties in total. */
export function checkCompilable(roots: readonly JsonRecord[]): void {
  const count = { strictTools: roots.length, optional: 0, unions: 0, properties: 0 }
  for (const root of roots) {
    refuseRecursion(root)
    for (const { schema } of walkSchema(root)) {
      if (Array.isArray(schema.type) || 'anyOf' in schema) count.unions++
      const required = [schema.required ?? []].flat()
      const names = isRecord(schema.properties) ? Object.keys(schema.properties) : []
      count.properties += names.length
      count.optional += names.filter(name => !required.includes(name)).length
    }
  }
  for (const kind of ['strictTools', 'optional', 'unions', 'properties'] as const) {
    const message = `Schemas contain too many ${kind} (${count[kind]}, limit: ${limits[kind]}).`
    if (count[kind] > limits[kind]) throw refuse(400, message)
  }
}

/** Follows references from the root. Throws if one leads back to a schema that contains it. */
function refuseRecursion(root: JsonRecord): void {
  const follow = (part: Json, references: readonly string[]): void => {
    if (Array.isArray(part)) for (const one of part) follow(one, references)
    if (!isRecord(part)) return
    const { $ref: reference, $defs: _, definitions: __, ...rest } = part
    for (const inner of Object.values(rest)) follow(inner, references)
    if (typeof reference !== 'string') return
    if (reference === '#' || references.includes(reference))
      throw refuse(400, `Circular reference detected in schema definitions: ${reference}`)
    const [, keyword = '', name = ''] = /^#\/(\$defs|definitions)\/(.+)$/.exec(reference) ?? []
    const definitions = root[keyword]
    const definition = isRecord(definitions) ? definitions[name] : undefined
    if (definition !== undefined) follow(definition, [...references, reference])
  }
  follow(root, [])
}
