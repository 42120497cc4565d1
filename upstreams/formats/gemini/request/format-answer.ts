import type { ChatFlags } from '../../../../schema/catalog/chat-flags.ts'
import type { ChatRequest } from '../../../../schema/wire/chat.ts'
import {
  type ChosenFormat,
  chooseFormat,
  jsonInstruction,
  refuseFormat,
} from '../../shared/request/choose-format.ts'
import type { GenerationConfig } from '../wire.ts'

const json = { responseMimeType: 'application/json' }

/**
 * The `response_format`: JSON by the vendor's own means, or by an instruction, which stands elsewhere. Throws Problem,
 * naming it, where the model cannot keep it.
 */
export function formatAnswer(
  request: ChatRequest,
  chat: ChatFlags,
): Pick<GenerationConfig, 'responseMimeType' | 'responseJsonSchema'> {
  const format = chooseFormat(request, chat)
  if (!format || format.how === 'instruction') return {}
  if (format.how === 'tool') throw refuseFormat('The model does not take a JSON schema.')
  return { ...json, ...schemaOf(format) }
}

/** What the model is told where it has no mode for JSON objects. */
export function instructAnswer(request: ChatRequest, chat: ChatFlags): string | undefined {
  return chooseFormat(request, chat)?.how === 'instruction' ? jsonInstruction : undefined
}

function schemaOf({ schema: named }: ChosenFormat): Pick<GenerationConfig, 'responseJsonSchema'> {
  if (!named) return {}
  const { $schema: _, ...schema } = named.schema
  return { responseJsonSchema: schema }
}
