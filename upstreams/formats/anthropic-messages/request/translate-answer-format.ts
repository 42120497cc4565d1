import type Anthropic from '@anthropic-ai/sdk'
import type { ChatFlags } from '../../../../schema/catalog/chat-flags.ts'
import type { ChatRequest } from '../../../../schema/wire/chat.ts'
import { chooseFormat, jsonInstruction, type NamedSchema } from '../../shared/request/choose-format.ts'
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

/** The `response_format`, as the model's flags say. Throws Problem, naming it, where the model cannot keep it. */
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
