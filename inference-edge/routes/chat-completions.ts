import { serveChat } from '../chat/serve-chat.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { chatCompletions as protocol } from '../protocols/chat-completions.ts'

/** `POST /v1/chat/completions`. */
export function chatCompletions(edge: Edge, ctx: EdgeContext): Promise<void> {
  return serveChat(edge, ctx, protocol)
}
