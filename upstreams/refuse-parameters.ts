import type { ChatFlags } from '../schema/catalog/chat-flags.ts'
import { Problem } from '../schema/errors.ts'
import type { ChatRequest } from '../schema/wire/chat.ts'

/** Refuses what the catalogue says that a model cannot do. Throws `unsupported_parameter`. */
export function refuseParameters(request: ChatRequest, chat: ChatFlags): void {
  for (const name of chat.refused_parameters) {
    if (isAsked(request, name)) throw new Problem('unsupported_parameter', { param: name })
  }
  if ((request.n ?? 1) > chat.max_choices) {
    throw refuse('n', `The model gives at most ${chat.max_choices} at a time.`)
  }
}

/** The same, and words of the chat protocol that another wire format has none for. */
export function refuseUntranslatable(request: ChatRequest, chat: ChatFlags): void {
  refuseParameters(request, chat)
  for (const name of ['functions', 'function_call']) {
    if (isAsked(request, name)) {
      throw refuse(name, `The model does not take ${name}: use tools and tool_choice.`)
    }
  }
  const modalities: unknown = Reflect.get(request, 'modalities')
  if (Array.isArray(modalities) && modalities.some(modality => modality !== 'text')) {
    throw refuse('modalities', 'The model answers in text.')
  }
}

function isAsked(request: ChatRequest, name: string): boolean {
  const value: unknown = Reflect.get(request, name)
  return value !== undefined && value !== null && value !== false
}

function refuse(param: string, message: string): Problem {
  return new Problem('unsupported_parameter', { param, message })
}
