import type { ChatAdapter as WireName } from '../schema/catalog/vendor.ts'
import { anthropicMessages } from './anthropic-messages/adapter.ts'
import type { ChatAdapter } from './chat-adapter.ts'
import { gemini } from './gemini/adapter.ts'
import { openaiChat } from './openai-chat/adapter.ts'
import { openaiEmbeddings } from './openai-embeddings/adapter.ts'

/** The adapter of each wire format. */
export const adapters: Partial<Record<WireName, ChatAdapter>> = {
  'openai-chat': openaiChat,
  'openai-embeddings': openaiEmbeddings,
  gemini,
  'anthropic-messages': anthropicMessages,
}
