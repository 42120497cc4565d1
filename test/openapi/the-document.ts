import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { openApiFile } from '../../gateway/openapi/build-openapi.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into a document, and fail where it is not as they expect
export type Json = any

/** The committed document. */
export const document: Json = JSON.parse(await readFile(openApiFile, 'utf8'))

/** An operation of the document. */
export interface Described {
  method: string
  path: string
  operation: Json
}

/** Every operation of the document. */
export const described: Described[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Json).map(([method, operation]) => ({
    method,
    path,
    operation: operation as Json,
  })),
)

/** Answers have nothing that is not described, unless their schema says that they may. */
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema(closed(document), 'openapi')

function closed(value: Json): Json {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, closed(item)]))
  return copy.properties && copy.type && !('additionalProperties' in copy)
    ? { ...copy, additionalProperties: false }
    : copy
}

/** Returns what is wrong with a value by the schema at a place of the document. Empty if it is valid. */
export function faultsOf(value: unknown, pointer: readonly string[]): string[] {
  const path = pointer
    .map(part => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/')
  const reference = `openapi#/${path}`
  const validate = ajv.getSchema(reference) ?? ajv.compile({ $ref: reference })
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

/** Follows a reference of the document. */
export function resolve(value: Json): Json {
  if (typeof value?.$ref !== 'string') return value
  return value.$ref
    .slice(2)
    .split('/')
    .reduce((within: Json, name: string) => within[name], document)
}
