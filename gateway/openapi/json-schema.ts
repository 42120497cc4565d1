/** A JSON Schema of draft 2020-12, as in OpenAPI 3.1, or any other object of a document. */
export interface JsonObject {
  [name: string]: JsonValue | undefined
}

export type JsonValue = string | number | boolean | null | JsonObject | readonly JsonValue[]

/** Returns a schema that also allows null. */
export function orNull(schema: JsonObject): JsonObject {
  if (typeof schema.type === 'string' && schema.enum === undefined)
    return { ...schema, type: [schema.type, 'null'] }
  const { description, ...rest } = schema
  return { anyOf: [rest, { type: 'null' }], ...(description !== undefined && { description }) }
}

/** Returns a plain copy of a shape of `schema/wire`, without the metadata of validators. */
export function plain(shape: object): JsonObject {
  return JSON.parse(JSON.stringify(shape))
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
