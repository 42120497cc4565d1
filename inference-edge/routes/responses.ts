import { serveChat } from '../chat/serve-chat.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { responses as protocol } from '../protocols/responses/protocol.ts'

/** `POST /v1/responses`. */
export function responses(edge: Edge, ctx: EdgeContext): Promise<void> {
  return serveChat(edge, ctx, protocol)
}
