import { isRecord } from '../../../platform/checks.ts'
import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import type { Problem } from '../../../schema/errors.ts'
import type { ChatRequest, Message, Tool } from '../../../schema/wire/chat.ts'
import type { Target } from '../../targets.ts'
import { unsupported } from './refusals.ts'

/**
 * Fields with which vendors charge prices that differ from the catalogue, or with which another model or provider
 * answers. Each has the values that change nothing. All fields of all vendors of a format are listed: a field that one
 * vendor refuses must not be accepted by a fallback (docs/decisions/2026-11-22-fields-that-cost.md).
 */
const paidFields: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  // service tiers and priorities
  ['service_tier', ['auto', 'default', 'standard', 'standard_only']],
  ['speed', ['standard', 'normal']],
  ['inference_geo', ['global', 'default']],
  ['priority', []],
  // other models, providers and tools that the vendor runs
  ...['route', 'preset', 'plugins', 'transforms', 'extra_body'].map(withoutFreeValues),
  ...['web_search_options', 'search_parameters', 'enable_search', 'search_options', 'data_sources'].map(
    withoutFreeValues,
  ),
  ...['web_search', 'enable_web_search', 'search_mode', 'search_settings', 'include_domains'].map(
    withoutFreeValues,
  ),
  ...['enable_enhancement', 'enable_deep_search', 'compound_custom', 'venice_parameters'].map(
    withoutFreeValues,
  ),
  // answers that are fetched later, after the request has been settled
  ...['deferred', 'background'].map(withoutFreeValues),
  ...['mcp_servers', 'container', 'connectors', 'builtin_tools', 'agent_id'].map(withoutFreeValues),
  // more output than the request's maximum, or of another kind
  ...['prediction', 'best_of', 'use_beam_search', 'audio', 'prompt_cache_options'].map(withoutFreeValues),
])

function withoutFreeValues(name: string): [string, readonly unknown[]] {
  return [name, []]
}

/**
 * With the platform's credential, refuses everything for which the vendor charges prices that differ from the
 * catalogue: fields, tools that the vendor runs, audio output, and IDs of objects stored in the vendor's account.
 * Accepts the ones that the model's prices cover (`priced_parameters`). With a customer's own credential, everything is
 * sent. Throws `unsupported_parameter` with the parameter.
 */
export function refusePaid(
  request: ChatRequest,
  flags: Pick<ChatFlags, 'priced_parameters'>,
  { byokId }: Pick<Target, 'byokId'>,
): void {
  if (byokId !== undefined) return
  const { priced_parameters: priced = [] } = flags
  const fields: Record<string, unknown> = request
  for (const name in fields)
    if (isUnpriced(name, flags) && isPaidValue(name, fields[name])) throw refuse(name)
  if (!priced.includes('modalities') && includesAudio(fields.modalities)) throw refuse('modalities')
  if (!priced.includes('tools')) refuseTools(request.tools ?? [])
  refuseStored(request.messages)
}

/**
 * Whether a field costs extra and the model's prices do not cover it. If such a field was not refused, its value
 * changes nothing (the standard tier, an empty list). It is not sent, because some vendors refuse unknown fields.
 */
export function isUnpriced(
  name: string,
  { priced_parameters: priced = [] }: Pick<ChatFlags, 'priced_parameters'>,
): boolean {
  return paidFields.has(name) && !priced.includes(name)
}

function isPaidValue(name: string, value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false
  if (Array.isArray(value) && value.length === 0) return false
  return !paidFields.get(name)?.includes(value)
}

function includesAudio(modalities: unknown): boolean {
  return Array.isArray(modalities) && modalities.some(modality => modality !== 'text')
}

/** Functions and custom tools are run by the client, all others by the vendor. */
function refuseTools(tools: readonly Tool[]): void {
  for (const [index, { type }] of tools.entries()) {
    if (type !== 'function' && type !== 'custom') throw refuse(`tools[${index}].type`)
  }
}

/**
 * Objects in the platform's account at the vendor can belong to any customer, and the vendor does not check which one.
 */
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
  return unsupported(
    param,
    `${param} is served with your own credential of this vendor alone: its price is not in the catalogue.`,
  )
}
