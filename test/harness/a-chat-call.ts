import type { ChatFlags } from '../../schema/catalog/chat-flags.ts'
import type { ChatEntry } from '../../schema/catalog/entry.ts'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import type { AdapterServices, ChatCall } from '../../upstreams/chat-adapter.ts'
import { theCatalogue } from './the-catalogue.ts'

const catalogue = await theCatalogue()

/** A chat model of the catalogue, by the id that clients ask for. */
export function aChatEntry(model: string): ChatEntry {
  const entry = catalogue.models.find(known => known.model === model)
  if (entry?.modality !== 'chat') throw new Error(`no chat model ${model}`)
  return entry
}

/** Changes of a model's flags. `reasoning: null` makes a model without reasoning. */
export type FlagChanges = Partial<Omit<ChatFlags, 'reasoning'>> & { reasoning?: null }

/** A chat model with changed flags. */
export function withFlags(entry: ChatEntry, { reasoning, ...changes }: FlagChanges): ChatEntry {
  const { reasoning: own, ...others } = entry.chat
  const kept = reasoning !== null && own && { reasoning: own }
  return { ...entry, chat: { ...others, ...kept, ...changes } }
}

/** A chat request on its way to the vendor of its model; one user message where none are given. */
export function aChatCall(request: Partial<ChatRequest> & { model: string }): ChatCall {
  const entry = aChatEntry(request.model)
  return {
    entry,
    request: { messages: [{ role: 'user', content: 'Hello' }], ...request },
    outputTokens: request.max_completion_tokens ?? request.max_tokens ?? entry.chat.default_output_tokens,
    cacheToken: 'rb-cache-token',
  }
}

/** What an adapter may fetch, where nothing is to be fetched. */
export const noServices: AdapterServices = {
  fetchImages: async () => new Map(),
  accessToken: async () => 'token',
  forgetToken: () => {},
}
