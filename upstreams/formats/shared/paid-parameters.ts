import { isRecord } from '../../../platform/is-record.ts'
import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../schema/errors.ts'
import type { ChatRequest, Message, Tool } from '../../../schema/wire/chat.ts'
import type { Target } from '../../targets.ts'

/**
 * Fields with which a vendor charges otherwise than by the catalogue, or has another answer; of each the
 * words that change nothing. They are of every vendor of the format that we know of, since a field that is
 * refused from one must not be taken by the next.
 */
const paidFields: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  // dearer or cheaper tiers, and turns before others
  ['service_tier', ['auto', 'default', 'standard', 'standard_only']],
  ['speed', ['standard', 'normal']],
  ['inference_geo', ['global', 'default']],
  ['priority', []],
  // other models, vendors and tools of the vendor's own
  ...['models', 'route', 'provider', 'preset', 'plugins', 'transforms', 'extra_body'].map(nothingElse),
  ...['web_search_options', 'search_parameters', 'enable_search', 'search_options', 'data_sources'].map(
    nothingElse,
  ),
  ...['web_search', 'enable_web_search', 'search_mode', 'search_settings', 'include_domains'].map(
    nothingElse,
  ),
  ...['enable_enhancement', 'enable_deep_search', 'compound_custom', 'venice_parameters'].map(nothingElse),
  // an answer that is fetched later, when nobody is there to pay
  ...['deferred', 'background'].map(nothingElse),
  ...['mcp_servers', 'container', 'connectors', 'builtin_tools', 'agent_id'].map(nothingElse),
  // more tokens than were asked for, or others
  ...['prediction', 'best_of', 'use_beam_search', 'audio', 'prompt_cache_options'].map(nothingElse),
])

function nothingElse(name: string): [string, readonly unknown[]] {
  return [name, []]
}

/**
 * On the platform's credential refuses what the vendor charges otherwise than by the catalogue, unless the
 * model's flags say that its prices cover it (`priced_parameters`): fields, tools that the vendor runs
 * itself, answers in sound, and what is stored in the vendor's account under an id. With a customer's own
 * credential all of it may pass. Throws `unsupported_parameter`, naming it.
 */
export function refusePaid(
  request: ChatRequest,
  flags: Pick<ChatFlags, 'priced_parameters'>,
  { byokId }: Pick<Target, 'byokId'>,
): void {
  if (byokId !== undefined) return
  const { priced_parameters: priced = [] } = flags
  const fields: Record<string, unknown> = request
  for (const name in fields) if (isUnpriced(name, flags) && asksFor(name, fields[name])) throw refuse(name)
  if (!priced.includes('modalities') && asksForSound(fields.modalities)) throw refuse('modalities')
  if (!priced.includes('tools')) refuseTools(request.tools ?? [])
  refuseStored(request.messages)
}

/**
 * Whether what a vendor charges for a field is not in the prices of the model. Such a field says nothing
 * where it was not refused (the standard tier, a list of none): vendors who do not know it are not told.
 */
export function isUnpriced(
  name: string,
  { priced_parameters: priced = [] }: Pick<ChatFlags, 'priced_parameters'>,
): boolean {
  return paidFields.has(name) && !priced.includes(name)
}

function asksFor(name: string, value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false
  if (Array.isArray(value) && value.length === 0) return false
  return !paidFields.get(name)?.includes(value)
}

function asksForSound(modalities: unknown): boolean {
  return Array.isArray(modalities) && modalities.some(modality => modality !== 'text')
}

/** Functions and tools of free text are run by the client, all others by the vendor. */
function refuseTools(tools: readonly Tool[]): void {
  for (const [index, { type }] of tools.entries()) {
    if (type !== 'function' && type !== 'custom') throw refuse(`tools[${index}].type`)
  }
}

/** Whose it is that stands there under an id, the vendor does not ask: it is all the platform's. */
function refuseStored(messages: readonly Message[]): void {
  for (const [index, message] of messages.entries()) {
    if (Reflect.get(message, 'audio')) throw refuse(`messages[${index}].audio`)
    if (!Array.isArray(message.content)) continue
    for (const [position, part] of message.content.entries()) {
      const file: unknown = part.type === 'file' ? Reflect.get(part, 'file') : undefined
      if (isRecord(file) && file.file_id) throw refuse(`messages[${index}].content[${position}].file.file_id`)
    }
  }
}

function refuse(param: string): Problem {
  const message = `${param} is served with your own credential of this vendor alone: its price is not in the catalogue.`
  return new Problem('unsupported_parameter', { param, message })
}
