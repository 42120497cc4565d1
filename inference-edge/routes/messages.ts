import { serveChat } from '../chat/serve-chat.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { messages as protocol } from '../protocols/messages/protocol.ts'

/** `POST /v1/messages`. Its clients know a request by the header `request-id`. */
export function messages(edge: Edge, ctx: EdgeContext): Promise<void> {
  ctx.set('request-id', ctx.state.record.requestId)
  return serveChat(edge, ctx, protocol)
}
