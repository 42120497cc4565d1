import { openCheck } from '../../../../domain/inference/open-check.ts'
import { Problem } from '../../../../schema/errors.ts'
import type { ChatRequest } from '../../../../schema/wire/chat.ts'
import { JsonSchemaFormat, type ResponsesRequest } from '../../../../schema/wire/responses/request.ts'
import type { EchoedFormat } from '../../../../schema/wire/responses/response.ts'

const checkSchema = openCheck(JsonSchemaFormat)

/** The `text.format` as it was understood. Throws Problem for one that is not known. */
export function readFormat(text: ResponsesRequest['text']): EchoedFormat {
  const format = text?.format
  switch (format?.type) {
    case undefined:
    case 'text':
      return { type: 'text' }
    case 'json_object':
      return { type: 'json_object' }
    case 'json_schema': {
      const { name, schema, description, strict } = checkSchema(format, 'text.format')
      return {
        type: 'json_schema',
        name,
        schema,
        ...(description && { description }),
        strict: strict ?? null,
      }
    }
  }
  const param = 'text.format.type'
  throw new Problem('invalid_request', {
    param,
    message: `${param} must be one of text, json_object, json_schema.`,
  })
}

/** The same as chat has it, where the schema stands one level deeper; text needs no word. */
export function buildFormat(format: EchoedFormat): ChatRequest['response_format'] {
  if (format.type !== 'json_schema') return format.type === 'text' ? undefined : format
  const { type, strict, ...schema } = format
  const deeper = { type, json_schema: { ...schema, ...(strict !== null && { strict }) } }
  return deeper
}
