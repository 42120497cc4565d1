import type Anthropic from '@anthropic-ai/sdk'
import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import type { ChatCall } from '../../chat-adapter.ts'
import { chooseFormat, jsonInstruction, type NamedSchema } from '../shared/response-format.ts'
import { narrowSchema } from './schema.ts'
import { translateInputSchema } from './tools.ts'
import type { TextBlock, Tool } from './wire.ts'

/** How the answer becomes JSON: by an instruction, by a schema, or as the arguments of a forced tool call. */
interface AnswerFormat {
  instruction?: TextBlock
  schema?: Anthropic.JSONOutputFormat
  answerTool?: Tool
}

/**
 * Returns the `response_format` according to the model's flags. Throws Problem with the parameter if the model cannot
 * produce it.
 */
export function translateAnswerFormat(request: ChatRequest, chat: ChatFlags): AnswerFormat {
  const format = chooseFormat(request, chat)
  if (!format) return {}
  const { how, schema } = format
  if (!schema) return { instruction: { type: 'text', text: jsonInstruction } }
  if (how === 'tool') return { answerTool: answerToolOf(schema) }
  return { schema: { type: 'json_schema', schema: narrowSchema(schema.schema, schema.at) } }
}

function answerToolOf({ schema, description, at }: NamedSchema): Tool {
  return {
    name: answerToolName,
    description: description ?? 'Give the answer. Call this once, with the whole answer.',
    input_schema: translateInputSchema(schema, at),
  }
}

/**
 * The tool that a model without native schemas is forced to call. The arguments of the call are the answer.
 */
const answerToolName = 'give_answer'

/** Returns whether a call of this tool is the answer itself, which the client gets as text. */
export function isAnswerTool(toolName: string, { entry, request }: ChatCall): boolean {
  return (
    toolName === answerToolName &&
    entry.chat.json.schema === 'tool' &&
    request.response_format?.type === 'json_schema'
  )
}
