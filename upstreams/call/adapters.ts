import type { ChatEntry } from '../../schema/catalog/entry.ts'
import type { ChatAdapter } from '../chat-adapter.ts'
import { isAzure, onAzure } from '../clouds/azure.ts'
import { isBedrock, onBedrock } from '../clouds/bedrock.ts'
import { isVertex, onVertex } from '../clouds/vertex.ts'
import { anthropicMessages } from '../formats/anthropic-messages/adapter.ts'
import { gemini } from '../formats/gemini/adapter.ts'
import { openaiChat } from '../formats/openai-chat/adapter.ts'
import { openaiEmbeddings } from '../formats/openai-embeddings.ts'
import type { Target } from '../targets.ts'

const openaiChatOnAzure = onAzure(openaiChat, 'chat/completions')
const openaiEmbeddingsOnAzure = onAzure(openaiEmbeddings, 'embeddings')
const anthropicMessagesOnBedrock = onBedrock(anthropicMessages)
const geminiOnVertex = onVertex(gemini)

/** Returns the adapter of a model's wire format, for the vendor itself or for the cloud of the credential. */
export function adapterOf({ upstream }: ChatEntry, target: Target): ChatAdapter {
  switch (upstream.adapter) {
    case 'openai-chat':
      return isAzure(target) ? openaiChatOnAzure : openaiChat
    case 'openai-embeddings':
      return isAzure(target) ? openaiEmbeddingsOnAzure : openaiEmbeddings
    case 'anthropic-messages':
      return isBedrock(target) ? anthropicMessagesOnBedrock : anthropicMessages
    case 'gemini':
      return isVertex(target) ? geminiOnVertex : gemini
  }
}
