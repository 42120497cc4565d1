import type Anthropic from '@anthropic-ai/sdk'
import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import type { ChatCall } from '../../chat-adapter.ts'
import { chooseFormat, jsonInstruction, type NamedSchema } from '../shared/response-format.ts'
import { narrowSchema } from './schema.ts'
import { translateInputSchema } from './tools.ts'
import type { TextBlock, Tool } from './wire.ts'

/**
 * How the answer is made JSON: by an instruction, by a schema, or as the arguments of a tool that must be
 * called.
 */
interface AnswerFormat {
  instruction?: TextBlock
  schema?: Anthropic.JSONOutputFormat
  answerTool?: Tool
}

/**
 * The `response_format`, as the model's flags say. Throws Problem, naming it, where the model cannot keep it.
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
 * The tool that a model without schemas of its own must call to give an answer in JSON; its arguments are the
 * answer.
 */
const answerToolName = 'give_answer'

/** Whether a call of a tool is the answer itself, to be shown as text. */
export function isAnswer(toolName: string, { entry, request }: ChatCall): boolean {
  return (
    toolName === answerToolName &&
    entry.chat.json.schema === 'tool' &&
    request.response_format?.type === 'json_schema'
  )
}
