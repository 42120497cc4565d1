import { isRecord } from '../../../platform/checks.ts'
import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import type { Problem } from '../../../schema/errors.ts'
import { missingParam } from '../../../schema/refuse-param.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { invalid, unsupported } from './refusals.ts'

/** How the model produces JSON, and the schema that it must match. Without a schema, it is any JSON object. */
export interface ChosenFormat {
  how: 'native' | 'instruction' | 'tool'
  schema: NamedSchema | undefined
}

export interface NamedSchema {
  schema: Record<string, unknown>
  description: string | undefined
  /** The parameter that errors name. */
  at: string
}

/** The instruction for models that have no JSON mode. */
export const jsonInstruction =
  'Answer with one valid JSON object and nothing else: no explanation, no code fence.'

/**
 * Returns how the model produces the requested `response_format` according to its flags, or undefined for text. Without
 * a schema, any JSON object is valid. Throws `unsupported_parameter` for a format that the model cannot produce, alone
 * or with tools, and `invalid_request` or `missing_parameter` for an invalid one.
 */
export function chooseFormat(
  { response_format: format, tools }: Pick<ChatRequest, 'response_format' | 'tools'>,
  { json }: Pick<ChatFlags, 'json'>,
): ChosenFormat | undefined {
  if (!format || format.type === 'text') return undefined
  if (format.type !== 'json_object' && format.type !== 'json_schema') {
    throw invalid(
      'response_format.type',
      'response_format.type must be one of text, json_object, json_schema.',
    )
  }
  const schema = format.type === 'json_schema' ? schemaOf(format) : undefined
  const how = schema ? json.schema : json.object
  if (how === 'none') {
    throw refuseFormat(schema ? 'The model does not answer by a JSON schema.' : 'The model has no JSON mode.')
  }
  // A forced tool call excludes all other tools.
  const mayHaveTools = json.with_tools && how !== 'tool'
  if (!mayHaveTools && tools?.some(({ type }) => type === 'function')) {
    throw refuseFormat('The model does not take response_format and tools together.')
  }
  return { how, schema }
}

/** Returns the refusal of a format that the model cannot produce. */
export function refuseFormat(message: string): Problem {
  return unsupported('response_format', message)
}

function schemaOf(format: object): NamedSchema | undefined {
  const details: unknown = Reflect.get(format, 'json_schema')
  const param = 'response_format.json_schema'
  if (!isRecord(details)) throw missingParam(param)
  const { schema, description } = details
  const at = `${param}.schema`
  if (schema === undefined || schema === null) return undefined
  if (!isRecord(schema)) {
    throw invalid(at, 'A schema is an object.')
  }
  return { schema, description: typeof description === 'string' ? description : undefined, at }
}
