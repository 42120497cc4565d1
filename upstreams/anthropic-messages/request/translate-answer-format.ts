import type Anthropic from '@anthropic-ai/sdk'
import { isRecord } from '../../../platform/is-record.ts'
import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../schema/errors.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { answerToolName } from '../answer-tool.ts'
import type { TextBlock, Tool } from '../wire.ts'
import { narrowSchema } from './narrow-schema.ts'
import { translateInputSchema } from './translate-input-schema.ts'

/** How the answer is made JSON: by an instruction, by a schema, or as the arguments of a tool that must be called. */
export interface AnswerFormat {
  instruction?: TextBlock
  schema?: Anthropic.JSONOutputFormat
  answerTool?: Tool
}

const instruction: TextBlock = {
  type: 'text',
  text: 'Answer with one valid JSON object and nothing else: no explanation, no code fence.',
}

/**
 * The `response_format`, as the model's flags say. Throws `unsupported_parameter` for a format that the model cannot
 * keep, alone or with tools, and `invalid_request` for a schema that it cannot.
 */
export function translateAnswerFormat(request: ChatRequest, { json }: ChatFlags): AnswerFormat {
  const { response_format: format, tools } = request
  if (!format || format.type === 'text') return {}
  const hasTools = tools?.some(tool => tool.type === 'function')
  if (hasTools && !json.with_tools) throw refuse('The model does not take response_format with tools.')
  const schema = format.type === 'json_schema' ? schemaOf(format) : undefined
  if (schema) {
    if (json.schema === 'none') throw refuse('The model does not answer by a JSON schema.')
    if (json.schema === 'tool') return { answerTool: answerToolOf(schema) }
    return { schema: { type: 'json_schema', schema: narrowSchema(schema.schema, schema.at) } }
  }
  if (format.type !== 'json_object' && format.type !== 'json_schema') {
    const message = 'response_format.type must be one of text, json_object, json_schema.'
    throw new Problem('invalid_request', { param: 'response_format.type', message })
  }
  if (json.object === 'none') throw refuse('The model has no JSON mode.')
  return { instruction }
}

interface NamedSchema {
  schema: Record<string, unknown>
  description: string | undefined
  at: string
}

/** Undefined where a schema may be left out and was: then any JSON object will do. */
function schemaOf(format: object): NamedSchema | undefined {
  const details: unknown = Reflect.get(format, 'json_schema')
  if (!isRecord(details)) throw new Problem('missing_parameter', { param: 'response_format.json_schema' })
  const { schema, description } = details
  const at = 'response_format.json_schema.schema'
  if (schema === undefined || schema === null) return undefined
  if (!isRecord(schema))
    throw new Problem('invalid_request', { param: at, message: 'A schema is an object.' })
  return { schema, description: typeof description === 'string' ? description : undefined, at }
}

function answerToolOf({ schema, description, at }: NamedSchema): Tool {
  return {
    name: answerToolName,
    description: description ?? 'Give the answer. Call this once, with the whole answer.',
    input_schema: translateInputSchema(schema, at),
  }
}

function refuse(message: string): Problem {
  return new Problem('unsupported_parameter', { param: 'response_format', message })
}
