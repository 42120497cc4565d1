import type { Context } from 'koa'
import { serveChat } from '../chat/serve-chat.ts'
import type { Edge } from '../edge.ts'
import { responses as protocol } from '../protocols/responses/protocol.ts'

/** `POST /v1/responses`. */
export function responses(edge: Edge, ctx: Context): Promise<void> {
  return serveChat(edge, ctx, protocol)
}
