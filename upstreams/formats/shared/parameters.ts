import type { ChatFlags, Reasoning } from '../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../schema/errors.ts'
import type { ChatRequest, Message } from '../../../schema/wire/chat.ts'
import type { Target } from '../../targets.ts'
import { refusePaid } from './paid-parameters.ts'

/** With whose credential a request goes: absent is the platform's. */
type Credential = Pick<Target, 'byokId'>

/**
 * Refuses what the catalogue says that a model cannot do, and what needs no translation to be seen:
 * parameters that it does not know, too many choices, tools, images, documents, sound; and what is not
 * priced, on the platform's credential. Throws `unsupported_parameter`.
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

/** The request without the fields that the model's flags say to drop; the same one where there are none. */
export function dropIgnored(
  sent: ChatRequest,
  { ignored_parameters: ignored }: Pick<ChatFlags, 'ignored_parameters'>,
): ChatRequest {
  if (!ignored.some(name => name in sent)) return sent
  return Object.assign({}, sent, ...ignored.map(name => ({ [name]: undefined })))
}

type Asked = Pick<ChatRequest, 'reasoning_effort'>

/**
 * What the model's table says for the effort that was asked for: the vendor's word, or a budget of tokens;
 * undefined where nothing need be said. A model that cannot be told to think takes `none`. Throws
 * `unsupported_parameter` for an effort that is not in the table.
 */
export function chooseEffort(
  { reasoning_effort: asked }: Asked,
  { reasoning }: Pick<ChatFlags, 'reasoning'>,
): string | number | undefined {
  if (asked === undefined || asked === null) return undefined
  if (!reasoning) {
    if (asked === 'none') return undefined
    const message = 'The model does not think, or cannot be told to.'
    throw new Problem('unsupported_parameter', { param: 'reasoning_effort', message })
  }
  const told = new Map(Object.entries(reasoning.efforts)).get(asked)
  if (told === undefined) throw refuseEffort(reasoning)
  return told
}

/** There is no word for the effort that was asked for. */
export function refuseEffort({ efforts }: Reasoning): Problem {
  const message = `reasoning_effort must be one of ${Object.keys(efforts).join(', ')}.`
  return new Problem('unsupported_parameter', { param: 'reasoning_effort', message })
}

/**
 * The stop sequences, without those that say nothing; undefined where none are left. Throws
 * `unsupported_parameter` for more than the model takes.
 */
export function chooseStops(
  { stop }: Pick<ChatRequest, 'stop'>,
  { max_stop_sequences: most }: Pick<ChatFlags, 'max_stop_sequences'>,
): string[] | undefined {
  if (stop === undefined || stop === null) return undefined
  const stops = [stop].flat().filter(text => text !== '')
  if (stops.length > most) {
    const message = `The model takes at most ${most} stop sequences.`
    throw new Problem('unsupported_parameter', { param: 'stop', message })
  }
  return stops.length > 0 ? stops : undefined
}
