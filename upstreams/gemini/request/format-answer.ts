import { isRecord } from '../../../platform/is-record.ts'
import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../schema/errors.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import type { GenerationConfig } from '../wire.ts'

const json = { responseMimeType: 'application/json' }

/**
 * The `response_format`: JSON by the vendor's own means, or not at all. Beside tools, earlier models refuse it.
 * Throws `unsupported_parameter` and `invalid_request`, naming `response_format`.
 */
export function formatAnswer(
  request: ChatRequest,
  { json: flags }: Pick<ChatFlags, 'json'>,
): Pick<GenerationConfig, 'responseMimeType' | 'responseJsonSchema'> {
  const format = request.response_format
  if (!format || format.type === 'text') return {}
  if (request.tools?.some(({ type }) => type === 'function') && !flags.with_tools) {
    throw unsupported('response_format', 'The model does not take response_format and tools together.')
  }
  if (format.type === 'json_object') {
    if (flags.object === 'native') return json
    if (flags.object === 'instruction') return {}
    throw unsupported('response_format', 'The model has no mode for JSON.')
  }
  if (format.type !== 'json_schema') {
    const message = 'response_format.type must be text, json_object or json_schema.'
    throw new Problem('invalid_request', { param: 'response_format.type', message })
  }
  if (flags.schema !== 'native')
    throw unsupported('response_format', 'The model does not take a JSON schema.')
  return { ...json, ...schemaOf(Reflect.get(format, 'json_schema')) }
}

/** What the model is told where it has no mode for JSON objects. */
export function instructAnswer(
  { response_format: format }: Pick<ChatRequest, 'response_format'>,
  { json: flags }: Pick<ChatFlags, 'json'>,
): string | undefined {
  if (format?.type !== 'json_object' || flags.object !== 'instruction') return undefined
  return 'Answer with one valid JSON object and nothing else: no explanation, no code fence.'
}

function schemaOf(details: unknown): Pick<GenerationConfig, 'responseJsonSchema'> {
  if (!isRecord(details)) {
    const param = 'response_format.json_schema'
    throw new Problem('missing_parameter', { param, message: `${param} is required.` })
  }
  if (!isRecord(details.schema)) return {}
  const { $schema: _, ...schema } = details.schema
  return { responseJsonSchema: schema }
}

function unsupported(param: string, message: string): Problem {
  return new Problem('unsupported_parameter', { param, message })
}
