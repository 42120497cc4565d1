import type { JsonObject } from './json-schema.ts'

/** The named schemas of a document: `components.schemas`. */
export interface Records {
  schemas: Map<string, JsonObject>
}

/**
 * Records a schema and returns a reference to it. Each name belongs to one schema: if the first name is used by another
 * schema, the next name is used. Throws if all names are used by other schemas.
 */
export function record({ schemas }: Records, names: readonly string[], schema: JsonObject): JsonObject {
  const text = JSON.stringify(schema)
  for (const name of names) {
    const known = schemas.get(name)
    if (known !== undefined && JSON.stringify(known) !== text) continue
    schemas.set(name, schema)
    return { $ref: `${schemaFolder}${name}` }
  }
  throw new Error(`${names.join(' and ')} are already used by other schemas`)
}

/** Returns the schema that a reference names, or the schema itself. */
export function resolve({ schemas }: Records, schema: JsonObject): JsonObject {
  const name = typeof schema.$ref === 'string' ? schema.$ref.slice(schemaFolder.length) : undefined
  return (name !== undefined && schemas.get(name)) || schema
}

/** Returns the name of a reference, such as `ApiKey`. */
export function nameOfRecord({ $ref }: JsonObject): string | undefined {
  return typeof $ref === 'string' ? $ref.slice(schemaFolder.length) : undefined
}

const schemaFolder = '#/components/schemas/'

/** Returns the name of a type for the name of an operation: `createKey` is `CreateKey`. */
export function typeName(operation: string): string {
  return operation.replace(/^./, letter => letter.toUpperCase())
}
