import type {
  ChatDeclaration,
  ChatEntry,
  EmbeddingDeclaration,
  MediaDeclaration,
  MediaEntry,
  ParameterSchema,
} from '../../../schema/catalog/entry.ts'
import { modalityOfTask, type Task } from '../../../schema/catalog/tasks.ts'
import {
  chatAdapters,
  embeddingAdapters,
  mediaAdapters,
  type Vendor,
} from '../../../schema/catalog/vendor.ts'
import type { Report } from './faults.ts'
import { narrowChatParameters } from './narrow-chat-parameters.ts'

/** What the rest of an entry follows from, and where to tell what does not follow. */
export interface Completing {
  vendors: ReadonlyMap<string, Vendor>
  /** Every chat parameter that the system knows. */
  chatParameters: ParameterSchema
  report: Report
}

/** The task that opens a catalogue id; undefined where there is no such task. */
export function taskOf(id: string): Task | undefined {
  const task = id.split('.')[0] ?? ''
  return isTask(task) ? task : undefined
}

/** Adds what follows from a chat model's declaration: vendor, adapter, parameters. Undefined after a fault. */
export function completeChat(context: Completing, declared: ChatDeclaration): ChatEntry | undefined {
  const vendor = vendorOf(context, declared)
  const adapter = vendor && adapterOf(context, { declared, vendor, adapters: chatAdapters })
  if (!vendor || !adapter) return undefined
  return {
    ...declared,
    task: 'chat',
    modality: 'chat',
    provider: vendor.label,
    upstream: { ...declared.upstream, adapter },
    parameters: narrowChatParameters(context.chatParameters, declared.chat),
  }
}

/** The same of a model of embeddings, which declares its parameters. */
export function completeEmbedding(
  context: Completing,
  declared: EmbeddingDeclaration,
): ChatEntry | undefined {
  const vendor = vendorOf(context, declared)
  const adapter = vendor && adapterOf(context, { declared, vendor, adapters: embeddingAdapters })
  if (!vendor || !adapter) return undefined
  const upstream = { ...declared.upstream, adapter }
  return { ...declared, task: 'text-embedding', modality: 'chat', provider: vendor.label, upstream }
}

/** Adds what follows from a media model's declaration: modality, vendor, adapter. Undefined after a fault. */
export function completeMedia(context: Completing, declared: MediaDeclaration): MediaEntry | undefined {
  const task = taskOf(declared.id)
  const modality = task && modalityOfTask[task]
  const vendor = vendorOf(context, declared)
  const adapter = vendor && adapterOf(context, { declared, vendor, adapters: mediaAdapters })
  if (!task || !modality || modality === 'chat' || !vendor || !adapter) return undefined
  return { ...declared, task, modality, provider: vendor.label, upstream: { ...declared.upstream, adapter } }
}

type Declaration = ChatDeclaration | EmbeddingDeclaration | MediaDeclaration

function vendorOf({ vendors, report }: Completing, { model }: Declaration): Vendor | undefined {
  const label = model.split('/')[0] ?? ''
  const vendor = vendors.get(label)
  if (!vendor) report(['model'], `${label} is not a vendor of vendors.yaml`)
  return vendor
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

function isTask(name: string): name is Task {
  return Object.hasOwn(modalityOfTask, name)
}
