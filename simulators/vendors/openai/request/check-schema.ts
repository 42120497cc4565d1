import { isRecord, type Json, type JsonRecord } from '../../json.ts'
import type { Refusal } from '../../server/refusal.ts'

/** Checks what the vendor demands of a schema: an object at the top and, when strict, closed objects all the way down. */
export function checkSchema(
  schema: JsonRecord,
  { isStrict, refuse }: { isStrict: boolean; refuse: (complaint: string) => Refusal },
): void {
  if (schema.type !== 'object') {
    const got = typeof schema.type === 'string' ? schema.type : 'None'
    throw refuse(`schema must be a JSON Schema of 'type: "object"', got 'type: "${got}"'.`)
  }
  const complaint = isStrict ? findLooseObject(schema, []) : undefined
  if (complaint !== undefined) throw refuse(complaint)
}

/** What is wrong with the first object that is open or leaves properties optional. */
function findLooseObject(schema: Json, path: readonly string[]): string | undefined {
  if (!isRecord(schema)) return undefined
  const properties = isRecord(schema.properties) ? schema.properties : {}
  if (schema.type === 'object') {
    const context = `In context=(${path.map(name => `'${name}'`).join(', ')})`
    if (schema.additionalProperties !== false) {
      return `${context}, 'additionalProperties' is required to be supplied and to be false.`
    }
    const required = Array.isArray(schema.required) ? schema.required : []
    const optional = Object.keys(properties).find(name => !required.includes(name))
    if (optional !== undefined) {
      return `${context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${optional}'.`
    }
  }
  for (const [inner, innerPath] of innerSchemas(schema, properties)) {
    const complaint = findLooseObject(inner, [...path, ...innerPath])
    if (complaint !== undefined) return complaint
  }
  return undefined
}

function* innerSchemas(schema: JsonRecord, properties: JsonRecord): Iterable<[schema: Json, path: string[]]> {
  for (const [name, inner] of Object.entries(properties)) yield [inner, ['properties', name]]
  if (schema.items !== undefined) yield [schema.items, ['items']]
  const branches = Array.isArray(schema.anyOf) ? schema.anyOf : []
  for (const [index, inner] of branches.entries()) yield [inner, ['anyOf', String(index)]]
  for (const word of ['$defs', 'definitions']) {
    const definitions = schema[word]
    if (!isRecord(definitions)) continue
    for (const [name, inner] of Object.entries(definitions)) yield [inner, [word, name]]
  }
}
