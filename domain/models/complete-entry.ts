import type { ChatFlags } from '../../schema/catalog/chat-flags.ts'
import {
  type ChatDeclaration,
  type ChatEntry,
  type EmbeddingDeclaration,
  type MediaDeclaration,
  type MediaEntry,
  type ModelTask,
  modalityOfTask,
  type ParameterSchema,
} from '../../schema/catalog/entry.ts'
import { anyTier } from '../../schema/catalog/prices.ts'
import { chatAdapters, embeddingAdapters, mediaAdapters, type Vendor } from '../../schema/catalog/vendor.ts'
import type { Report } from './checks/report.ts'

/** The data that completes an entry, and the function that reports its faults. */
export interface Completing {
  vendors: ReadonlyMap<string, Vendor>
  /** Every supported chat parameter. */
  chatParameters: ParameterSchema
  report: Report
}

/** Returns the task that a catalogue ID begins with, or undefined if there is no such task. */
export function taskOf(id: string): ModelTask | undefined {
  const task = id.split('.')[0] ?? ''
  return isTask(task) ? task : undefined
}

/** Completes the declaration of a chat model by vendor, adapter and parameters. Returns undefined after a fault. */
export function completeChat(context: Completing, declared: ChatDeclaration): ChatEntry | undefined {
  const vendor = vendorOf(context, declared)
  const adapter = vendor && adapterOf(context, { declared, vendor, adapters: chatAdapters })
  if (!vendor || !adapter) return undefined
  return {
    ...declared,
    task: 'chat',
    modality: 'chat',
    provider: vendor.label,
    ...knownAs(declared, vendor),
    upstream: { ...declared.upstream, adapter },
    parameters: narrowChatParameters(context.chatParameters, declared),
  }
}

/** Completes the declaration of an embedding model, which has its own parameters. Returns undefined after a fault. */
export function completeEmbedding(
  context: Completing,
  declared: EmbeddingDeclaration,
): ChatEntry | undefined {
  const vendor = vendorOf(context, declared)
  const adapter = vendor && adapterOf(context, { declared, vendor, adapters: embeddingAdapters })
  if (!vendor || !adapter) return undefined
  const upstream = { ...declared.upstream, adapter }
  const names = knownAs(declared, vendor)
  return { ...declared, task: 'text-embedding', modality: 'chat', provider: vendor.label, ...names, upstream }
}

/** Completes the declaration of a media model by modality, vendor and adapter. Returns undefined after a fault. */
export function completeMedia(context: Completing, declared: MediaDeclaration): MediaEntry | undefined {
  const task = taskOf(declared.id)
  const modality = task && modalityOfTask[task]
  const vendor = vendorOf(context, declared)
  const adapter = vendor && adapterOf(context, { declared, vendor, adapters: mediaAdapters })
  if (!task || !modality || modality === 'chat' || !vendor || !adapter) return undefined
  const upstream = { ...declared.upstream, adapter }
  return { ...declared, task, modality, provider: vendor.label, ...knownAs(declared, vendor), upstream }
}

type Declaration = ChatDeclaration | EmbeddingDeclaration | MediaDeclaration

function vendorOf({ vendors, report }: Completing, { model }: Declaration): Vendor | undefined {
  const label = model.split('/')[0] ?? ''
  const vendor = vendors.get(label)
  if (!vendor) report(['model'], `${label} is not a vendor of vendors.yaml`)
  return vendor
}

/** Returns every alias of a model: its own, and its name after each alias of its vendor. */
function knownAs({ model, aliases = [] }: Declaration, vendor: Vendor): { known_as?: string[] } {
  const name = model.slice(vendor.label.length + 1)
  const names = [...(vendor.aliases ?? []).map(alias => `${alias}/${name}`), ...aliases]
  return names.length > 0 ? { known_as: [...new Set(names)] } : {}
}

function adapterOf<Adapter extends string>(
  { report }: Completing,
  { declared, vendor, adapters }: { declared: Declaration; vendor: Vendor; adapters: readonly Adapter[] },
): Adapter | undefined {
  const wanted = declared.upstream.adapter ?? vendor.adapter
  const adapter = adapters.find(name => name === wanted)
  if (!adapter)
    report(['upstream', 'adapter'], `${wanted} cannot serve this model: one of ${adapters.join(', ')} can`)
  return adapter
}

function isTask(name: string): name is ModelTask {
  return Object.hasOwn(modalityOfTask, name)
}

/**
 * Returns the parameters that a chat model accepts, as a schema for clients: all chat parameters
 * (`parameters/chat.yaml`), without the parameters that the model's flags exclude, and within the limits of the
 * flags.
 */
function narrowChatParameters(
  all: ParameterSchema,
  { chat, prices }: Pick<ChatDeclaration, 'chat' | 'prices'>,
): ParameterSchema {
  const dropped = new Set([...droppedBy(chat), ...(prices.service_tiers ? [] : ['service_tier'])])
  const tiers = prices.service_tiers?.map(({ tier }) => tier) ?? []
  const limits: Record<string, Record<string, unknown>> = {
    ...limitsOf(chat),
    service_tier: { enum: [anyTier, ...tiers] },
  }
  const kept = Object.entries(all.properties).filter(([name]) => !dropped.has(name))
  const properties = Object.fromEntries(kept.map(([name, field]) => [name, { ...field, ...limits[name] }]))
  return { ...all, properties }
}

function droppedBy(chat: ChatFlags): string[] {
  return [
    ...chat.ignored_parameters,
    ...chat.refused_parameters,
    ...(chat.sampling ? [] : ['temperature', 'top_p']),
    ...(chat.tools ? [] : ['tools', 'tool_choice', 'parallel_tool_calls']),
    ...(chat.reasoning ? [] : ['reasoning_effort']),
    ...(chat.json.object === 'none' && chat.json.schema === 'none' ? ['response_format'] : []),
    ...(chat.max_choices > 1 ? [] : ['n']),
    ...(chat.cache_isolation === 'prompt_cache_key' ? [] : ['prompt_cache_key']),
  ]
}

function limitsOf(chat: ChatFlags): Record<string, Record<string, unknown>> {
  const output = { maximum: chat.max_output_tokens, default: chat.default_output_tokens }
  return {
    max_tokens: output,
    max_completion_tokens: output,
    temperature: { maximum: chat.max_temperature },
    stop: { maxItems: chat.max_stop_sequences },
    n: { maximum: chat.max_choices },
    reasoning_effort: { enum: Object.keys(chat.reasoning?.efforts ?? {}) },
  }
}
