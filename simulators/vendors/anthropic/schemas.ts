import { isRecord, type Json, type JsonRecord } from '../../server/json.ts'
import { walkSchema } from '../model/walk-schema.ts'
import { refuse, refuseField } from './host.ts'

const unsupported = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...['maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'oneOf', 'not'],
]

/** Throws for a schema that Anthropic cannot enforce: one with open objects or with bounds, or a recursive one. */
export function checkSchema(root: Json | undefined, at: string): void {
  for (const { schema } of walkSchema(root)) {
    if ([schema.type].flat().includes('object') && schema.additionalProperties !== false)
      throw refuseField("For 'object' type, 'additionalProperties' must be explicitly set to false", at)
    const keyword = unsupported.find(name => name in schema)
    if (keyword) throw refuseField(`property ${keyword} is not supported`, at)
    if (Number(schema.minItems ?? 0) > 1)
      throw refuseField("'minItems' values other than 0 or 1 are not supported", at)
  }
  if (isRecord(root)) refuseRecursion(root)
}

/** Throws for a recursive schema: one in which a reference leads back to a schema that contains it. */
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
