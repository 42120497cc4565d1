import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../schema/errors.ts'
import type { ChatRequest, Message } from '../../../schema/wire/chat.ts'
import type { Target } from '../../chat-adapter.ts'
import { refusePaid } from './request/refuse-paid.ts'

/** With whose credential a request goes: absent is the platform's. */
type Credential = Pick<Target, 'byokId'>

/**
 * Refuses what the catalogue says that a model cannot do, and what needs no translation to be seen: parameters that it
 * does not know, too many choices, tools, images, documents, sound; and what is not priced, on the platform's
 * credential. Throws `unsupported_parameter`.
 */
export function refuseParameters(request: ChatRequest, chat: ChatFlags, credential: Credential): void {
  refusePaid(request, chat, credential)
  for (const name of chat.refused_parameters) {
    if (isAsked(request, name)) throw new Problem('unsupported_parameter', { param: name })
  }
  if ((request.n ?? 1) > chat.max_choices) {
    throw refuse('n', `The model gives at most ${chat.max_choices} at a time.`)
  }
  if (!chat.tools && request.tools?.some(({ type }) => type === 'function')) {
    throw refuse('tools', 'The model does not call tools.')
  }
  const untaken = untakenParts(chat)
  if (untaken.size > 0) refuseParts(request.messages, untaken)
}

/** The same, and words of the chat protocol that another wire format has none for. */
export function refuseUntranslatable(request: ChatRequest, chat: ChatFlags, credential: Credential): void {
  refuseParameters(request, chat, credential)
  for (const name of ['functions', 'function_call']) {
    if (isAsked(request, name)) {
      throw refuse(name, `The model does not take ${name}: use tools and tool_choice.`)
    }
  }
  const modalities: unknown = Reflect.get(request, 'modalities')
  if (Array.isArray(modalities) && modalities.some(modality => modality !== 'text')) {
    throw refuse('modalities', 'The model answers in text.')
  }
  for (const [index, { type }] of (request.tools ?? []).entries()) {
    if (type !== 'function') throw refuse(`tools[${index}].type`, 'The model calls functions alone.')
  }
}

/** Types of parts that the model does not take, and what they are. */
function untakenParts({ vision, documents, audio }: ChatFlags): ReadonlyMap<string, string> {
  const untaken = new Map<string, string>()
  if (!vision) untaken.set('image_url', 'images')
  if (!documents) untaken.set('file', 'files')
  if (!audio) untaken.set('input_audio', 'sound')
  return untaken
}

function refuseParts(messages: readonly Message[], untaken: ReadonlyMap<string, string>): void {
  for (const [index, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue
    const position = content.findIndex(({ type }) => untaken.has(type))
    if (position < 0) continue
    const what = untaken.get(content[position]?.type ?? '')
    throw refuse(`messages[${index}].content[${position}]`, `The model does not take ${what}.`)
  }
}

function isAsked(request: ChatRequest, name: string): boolean {
  const value: unknown = Reflect.get(request, name)
  return value !== undefined && value !== null && value !== false
}

function refuse(param: string, message: string): Problem {
  return new Problem('unsupported_parameter', { param, message })
}
