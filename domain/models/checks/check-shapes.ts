import { Ajv, type ErrorObject } from 'ajv'
import type { Static, TSchema } from 'typebox'
import {
  ChatDeclaration,
  EmbeddingDeclaration,
  MediaDeclaration,
  ParameterSchema,
} from '../../../schema/catalog/entry.ts'
import { VendorDeclaration } from '../../../schema/catalog/vendor.ts'
import type { Report } from './report.ts'

/** Checks whether a value has its declared shape. Fills in defaults, and reports every fault. */
export type Shape<Declared> = (value: unknown, report: Report) => value is Declared

/** The shapes of the declarations that operators write. */
export interface Shapes {
  vendor: Shape<VendorDeclaration>
  chat: Shape<ChatDeclaration>
  embedding: Shape<EmbeddingDeclaration>
  media: Shape<MediaDeclaration>
  parameters: Shape<ParameterSchema>
}

let compiled: Shapes | undefined

/** Compiles the shapes, once per process. */
export function openShapes(): Shapes {
  compiled ??= compileShapes()
  return compiled
}

function compileShapes(): Shapes {
  const ajv = new Ajv({ allErrors: true, strict: true, useDefaults: true })
  return {
    vendor: shapeOf(ajv, VendorDeclaration),
    chat: shapeOf(ajv, ChatDeclaration),
    embedding: shapeOf(ajv, EmbeddingDeclaration),
    media: shapeOf(ajv, MediaDeclaration),
    parameters: shapeOf(ajv, ParameterSchema),
  }
}

function shapeOf<Schema extends TSchema>(ajv: Ajv, schema: Schema): Shape<Static<Schema>> {
  const validate = ajv.compile<Static<Schema>>(schema)
  return (value, report): value is Static<Schema> => {
    if (validate(value)) return true
    for (const error of validate.errors ?? []) {
      if (!error.schemaPath.includes('/anyOf/')) report(pathOf(error), explainError(error))
    }
    return false
  }
}

function pathOf({ instancePath, params }: ErrorObject): (string | number)[] {
  const path = instancePath.split('/').slice(1).map(unescapeKey)
  return params.additionalProperty === undefined ? path : [...path, params.additionalProperty]
}

function explainError({ keyword, message, params }: ErrorObject): string {
  if (keyword === 'additionalProperties') return 'is not a known key'
  if (keyword === 'required') return `${params.missingProperty} is missing`
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}`
  return keyword === 'anyOf' ? 'has a value of the wrong kind' : (message ?? keyword)
}

/** Decodes a part of a JSON pointer; list positions become numbers. */
function unescapeKey(key: string): string | number {
  return /^\d+$/.test(key) ? Number(key) : key.replaceAll('~1', '/').replaceAll('~0', '~')
}
