import type { ChatFlags } from '../schema/catalog/chat-flags.ts'
import { Problem } from '../schema/errors.ts'
import type { ChatRequest, Message } from '../schema/wire/chat.ts'

/**
 * Refuses what the catalogue says that a model cannot do, and what needs no translation to be seen: parameters that it
 * does not know, too many choices, tools, images. Throws `unsupported_parameter`.
 */
export function refuseParameters(request: ChatRequest, chat: ChatFlags): void {
  for (const name of chat.refused_parameters) {
    if (isAsked(request, name)) throw new Problem('unsupported_parameter', { param: name })
  }
  if ((request.n ?? 1) > chat.max_choices) {
    throw refuse('n', `The model gives at most ${chat.max_choices} at a time.`)
  }
  if (!chat.tools && request.tools?.some(({ type }) => type === 'function')) {
    throw refuse('tools', 'The model does not call tools.')
  }
  if (!chat.vision) refuseImages(request.messages)
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

function refuseImages(messages: readonly Message[]): void {
  for (const [index, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue
    const position = content.findIndex(({ type }) => type === 'image_url')
    if (position < 0) continue
    throw refuse(`messages[${index}].content[${position}]`, 'The model does not take images.')
  }
}

function isAsked(request: ChatRequest, name: string): boolean {
  const value: unknown = Reflect.get(request, name)
  return value !== undefined && value !== null && value !== false
}

function refuse(param: string, message: string): Problem {
  return new Problem('unsupported_parameter', { param, message })
}
