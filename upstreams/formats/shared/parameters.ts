import type { ChatFlags, Reasoning } from '../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../schema/errors.ts'
import type { ChatRequest, Message } from '../../../schema/wire/chat.ts'
import type { Target } from '../../targets.ts'
import { refusePaid } from './paid-parameters.ts'
import { unsupported } from './refusals.ts'

/**
 * Refuses everything that the model does not support according to the catalogue: refused parameters, too many choices,
 * tools, images, documents and audio. With the platform's credential, also refuses everything without a price. Throws
 * `unsupported_parameter`.
 */
export function refuseParameters(
  request: ChatRequest,
  chat: ChatFlags,
  target: Pick<Target, 'byokId'>,
): void {
  refusePaid(request, chat, target)
  for (const name of chat.refused_parameters) {
    if (isSet(request, name)) throw new Problem('unsupported_parameter', { param: name })
  }
  if ((request.n ?? 1) > chat.max_choices) {
    throw unsupported('n', `The model gives at most ${chat.max_choices} at a time.`)
  }
  if (!chat.tools && request.tools?.some(({ type }) => type === 'function')) {
    throw unsupported('tools', 'The model does not call tools.')
  }
  const refused = unsupportedParts(chat)
  if (refused.size > 0) refuseParts(request.messages, refused)
}

/** Refuses the same, and the parts of the canonical chat format that no other wire format can express. */
export function refuseUntranslatable(
  request: ChatRequest,
  chat: ChatFlags,
  target: Pick<Target, 'byokId'>,
): void {
  refuseParameters(request, chat, target)
  for (const name of ['functions', 'function_call']) {
    if (isSet(request, name)) {
      throw unsupported(name, `The model does not take ${name}: use tools and tool_choice.`)
    }
  }
  const modalities: unknown = Reflect.get(request, 'modalities')
  if (Array.isArray(modalities) && modalities.some(modality => modality !== 'text')) {
    throw unsupported('modalities', 'The model answers in text.')
  }
  for (const [index, { type }] of (request.tools ?? []).entries()) {
    if (type !== 'function') throw unsupported(`tools[${index}].type`, 'The model calls functions alone.')
  }
}

/** Returns the types of content parts that the model does not support, and their names in errors. */
function unsupportedParts({ vision, documents, audio }: ChatFlags): ReadonlyMap<string, string> {
  const parts = new Map<string, string>()
  if (!vision) parts.set('image_url', 'images')
  if (!documents) parts.set('file', 'files')
  if (!audio) parts.set('input_audio', 'sound')
  return parts
}

function refuseParts(messages: readonly Message[], refused: ReadonlyMap<string, string>): void {
  for (const [index, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue
    const position = content.findIndex(({ type }) => refused.has(type))
    if (position < 0) continue
    const what = refused.get(content[position]?.type ?? '')
    throw unsupported(`messages[${index}].content[${position}]`, `The model does not take ${what}.`)
  }
}

function isSet(request: ChatRequest, name: string): boolean {
  const value: unknown = Reflect.get(request, name)
  return value !== undefined && value !== null && value !== false
}

/** Returns the request without the fields that the model's flags ignore. Returns the same object if there are none. */
export function dropIgnored(
  sent: ChatRequest,
  { ignored_parameters: ignored }: Pick<ChatFlags, 'ignored_parameters'>,
): ChatRequest {
  if (!ignored.some(name => name in sent)) return sent
  return Object.assign({}, sent, ...ignored.map(name => ({ [name]: undefined })))
}

/**
 * Returns the vendor's value for the requested `reasoning_effort` from the model's table: a word, or a budget in
 * tokens. Returns undefined if none was requested. `none` is accepted for models whose thinking cannot be controlled.
 * Throws `unsupported_parameter` for an effort that is not in the table.
 */
export function chooseEffort(
  { reasoning_effort: effort }: Pick<ChatRequest, 'reasoning_effort'>,
  { reasoning }: Pick<ChatFlags, 'reasoning'>,
): string | number | undefined {
  if (effort === undefined || effort === null) return undefined
  if (!reasoning) {
    if (effort === 'none') return undefined
    throw unsupported(
      'reasoning_effort',
      'The model does not support reasoning, or does not allow to set it.',
    )
  }
  const value = new Map(Object.entries(reasoning.efforts)).get(effort)
  if (value === undefined) throw refuseEffort(reasoning)
  return value
}

/** Returns the refusal of an effort that the model does not have. */
export function refuseEffort({ efforts }: Reasoning): Problem {
  return unsupported(
    'reasoning_effort',
    `reasoning_effort must be one of ${Object.keys(efforts).join(', ')}.`,
  )
}

/**
 * Returns the stop sequences that are not empty, or undefined. Throws `unsupported_parameter` if the model does not
 * support that many.
 */
export function chooseStops(
  { stop }: Pick<ChatRequest, 'stop'>,
  { max_stop_sequences: max }: Pick<ChatFlags, 'max_stop_sequences'>,
): string[] | undefined {
  if (stop === undefined || stop === null) return undefined
  const stops = [stop].flat().filter(text => text !== '')
  if (stops.length > max) {
    throw unsupported('stop', `The model takes at most ${max} stop sequences.`)
  }
  return stops.length > 0 ? stops : undefined
}
