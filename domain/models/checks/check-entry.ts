import type { Ajv } from 'ajv'
import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import type { CatalogueEntry, ChatEntry, ParameterSchema } from '../../../schema/catalog/entry.ts'
import type { ChatAdapter } from '../../../schema/catalog/vendor.ts'
import type { Report } from './report.ts'

/** Checks that a schema compiles as strict JSON Schema, requires only declared parameters, and has valid defaults. */
export function checkParameters(
  { validator }: { validator: Ajv },
  schema: ParameterSchema,
  report: Report,
): void {
  try {
    validator.compile(schema)
  } catch (error) {
    report(['parameters'], error instanceof Error ? error.message : String(error))
    return
  }
  for (const [name, { default: value, ...rule }] of Object.entries(schema.properties)) {
    if (value !== undefined && !validator.validate(rule, value)) {
      report(
        ['parameters', 'properties', name, 'default'],
        `violates its own schema: it ${validator.errors?.[0]?.message}`,
      )
    }
  }
  schema.required.forEach((name, index) => {
    if (!(name in schema.properties)) report(['parameters', 'required', index], `${name} is not a property`)
  })
}

/** The values of flags that each wire format supports. */
const supported: Record<ChatAdapter, { carriers: readonly string[]; isolations: readonly string[] }> = {
  'openai-chat': { carriers: ['reasoning_effort'], isolations: ['prompt_cache_key', 'salt'] },
  'anthropic-messages': { carriers: ['output_config'], isolations: ['session'] },
  'openai-embeddings': { carriers: [], isolations: ['prompt_cache_key', 'salt'] },
  gemini: { carriers: ['thinking_level', 'thinking_budget'], isolations: ['salt'] },
}

/**
 * Checks that the flags of a chat model agree with its wire format, with each other and with the chat
 * parameters.
 */
export function checkChatFlags(
  { chatParameters }: { chatParameters: ParameterSchema },
  { chat, upstream: { adapter } }: ChatEntry,
  report: Report,
): void {
  checkSupported(adapter, chat, report)
  if (chat.max_output_tokens > chat.context_tokens) {
    report(['chat', 'max_output_tokens'], 'exceeds context_tokens')
  }
  if (chat.default_output_tokens > chat.max_output_tokens) {
    report(['chat', 'default_output_tokens'], 'exceeds max_output_tokens')
  }
  for (const list of ['ignored_parameters', 'refused_parameters'] as const) {
    for (const [index, name] of chat[list].entries()) {
      const known = name in chatParameters.properties
      if (!known) report(['chat', list, index], `${name} is not a chat parameter`)
    }
  }
  for (const [index, name] of chat.refused_parameters.entries()) {
    const ignored = chat.ignored_parameters.includes(name)
    if (ignored) report(['chat', 'refused_parameters', index], `${name} is ignored already`)
  }
}

function checkSupported(adapter: ChatAdapter, chat: ChatFlags, report: Report): void {
  const { carriers, isolations } = supported[adapter]
  if (chat.reasoning && !carriers.includes(chat.reasoning.carrier)) {
    report(['chat', 'reasoning', 'carrier'], notSupported(adapter, carriers))
  }
  if (!isolations.includes(chat.cache_isolation)) {
    report(['chat', 'cache_isolation'], notSupported(adapter, isolations))
  }
  if (adapter === 'openai-chat' && !chat.output_limit_field) {
    report(['chat'], 'output_limit_field is missing')
  }
}

function notSupported(adapter: ChatAdapter, known: readonly string[]): string {
  return `${adapter} supports only: ${known.join(' or ')}`
}

/** An entry, and the function that reports its faults. */
export interface ReadEntry {
  entry: CatalogueEntry
  report: Report
}

/**
 * Checks that IDs, model names and aliases are unique, and that fallbacks are other active models of the same task. Only
 * chat models have fallbacks (docs/behaviour.md, Retries and fallbacks).
 */
export function checkReferences(read: readonly ReadEntry[]): void {
  const byId = new Map<string, CatalogueEntry>()
  const byModel = new Map<string, CatalogueEntry>()
  for (const { entry, report } of read) {
    if (byId.has(entry.id)) report(['id'], `${entry.id} is declared twice`)
    const namesake = byModel.get(entry.model)
    if (namesake) report(['model'], `${entry.model} is already the model of ${namesake.id}`)
    byId.set(entry.id, entry)
    byModel.set(entry.model, entry)
  }
  checkAliases(read)
  for (const { entry, report } of read) {
    entry.fallbacks.forEach((id, index) => {
      const fault = faultOf(entry, byId.get(id))
      if (fault) report(['fallbacks', index], `${id} ${fault}`)
    })
  }
}

/** Checks that no alias of a model is an ID, a name or an alias of another model. */
function checkAliases(read: readonly ReadEntry[]): void {
  const owners = new Map<string, CatalogueEntry>()
  for (const { entry } of read) owners.set(entry.id, entry).set(entry.model, entry)
  for (const { entry, report } of read) {
    for (const alias of entry.known_as ?? []) {
      const owner = owners.get(alias)
      const index = entry.aliases?.indexOf(alias) ?? -1
      if (owner && owner.id !== entry.id)
        report(index < 0 ? ['model'] : ['aliases', index], `${alias} also names ${owner.id}`)
      owners.set(alias, entry)
    }
  }
}

function faultOf(entry: CatalogueEntry, fallback: CatalogueEntry | undefined): string | undefined {
  if (entry.modality !== 'chat') return 'is never used: only chat models have fallbacks'
  if (!fallback) return 'is not in the catalogue'
  if (fallback.id === entry.id) return 'is the model itself'
  if (fallback.task !== entry.task) return `is for ${fallback.task}, not for ${entry.task}`
  return fallback.active ? undefined : 'is not active'
}
