import type { Context } from 'koa'
import { serveChat } from '../chat/serve-chat.ts'
import type { Edge } from '../edge.ts'
import { embeddings as protocol } from '../protocols/embeddings.ts'

/** `POST /v1/embeddings`. */
export function embeddings(edge: Edge, ctx: Context): Promise<void> {
  return serveChat(edge, ctx, protocol)
}
