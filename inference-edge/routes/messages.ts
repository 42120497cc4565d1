import type { Context } from 'koa'
import { serveChat } from '../chat/serve-chat.ts'
import type { Edge } from '../edge.ts'
import { messages as protocol } from '../protocols/messages/protocol.ts'

/** `POST /v1/messages`. Its clients know a request by the header `request-id`. */
export function messages(edge: Edge, ctx: Context): Promise<void> {
  ctx.set('request-id', ctx.state.requestId)
  return serveChat(edge, ctx, protocol)
}
