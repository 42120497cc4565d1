import { serveChat } from '../chat/serve-chat.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { embeddings as protocol } from '../protocols/embeddings.ts'

/** `POST /v1/embeddings`. */
export function embeddings(edge: Edge, ctx: EdgeContext): Promise<void> {
  return serveChat(edge, ctx, protocol)
}
