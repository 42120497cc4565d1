import type { ChatFlags } from '../../schema/catalog/chat-flags.ts'
import type { ChatEntry } from '../../schema/catalog/entry.ts'
import type { ChatRequest, Message } from '../../schema/wire/chat.ts'
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

type Content = Message['content']
type Call = ReturnType<typeof calling>

export const user = (content: Content): Message => ({ role: 'user', content })
export const system = (content: Content): Message => ({ role: 'system', content })

/** A call of a function, as a client sends it back. */
export const calling = (id: string, name = 'get_weather', text = '{"city":"Bern"}') => ({
  id,
  type: 'function' as const,
  function: { name, arguments: text },
})

/** A message of the assistant with calls, or calls of the weather by their IDs. */
export const assistant = (content: Content, ...calls: (string | Call)[]): Message => ({
  role: 'assistant',
  content,
  ...(calls.length > 0 && {
    tool_calls: calls.map(call => (typeof call === 'string' ? calling(call) : call)),
  }),
})

/** The result of a call. */
export const result = (id: string, content: Content = 'sunny'): Message => ({
  role: 'tool',
  tool_call_id: id,
  content,
})
