import type { ChatAdapter as WireName } from '../../schema/catalog/vendor.ts'
import type { ChatAdapter } from '../chat-adapter.ts'
import { anthropicMessages } from '../formats/anthropic-messages/adapter.ts'
import { gemini } from '../formats/gemini/adapter.ts'
import { openaiChat } from '../formats/openai-chat/adapter.ts'
import { openaiEmbeddings } from '../formats/openai-embeddings/adapter.ts'

/** The adapter of each wire format. */
export const adapters: Partial<Record<WireName, ChatAdapter>> = {
  'openai-chat': openaiChat,
  'openai-embeddings': openaiEmbeddings,
  gemini,
  'anthropic-messages': anthropicMessages,
}
