import { isRecord, type Json, type JsonRecord } from '../../server/json.ts'

/** Yields a JSON Schema and all schemas within it, each with its path. */
export function* walkSchema(
  schema: Json | undefined,
  path: readonly string[] = [],
): Iterable<{ readonly schema: JsonRecord; readonly path: readonly string[] }> {
  if (!isRecord(schema)) return
  yield { schema, path }
  for (const keyword of ['properties', '$defs', 'definitions', 'anyOf', 'allOf']) {
    const inner = schema[keyword]
    if (typeof inner !== 'object' || inner === null) continue
    for (const [name, one] of Object.entries(inner)) yield* walkSchema(one, [...path, keyword, name])
  }
  yield* walkSchema(schema.items, [...path, 'items'])
}
