import { serveChat } from './chat/serve-chat.ts'
import type { Edge, EdgeContext } from './edge.ts'
import { chatCompletions } from './protocols/chat-completions.ts'
import { embeddings } from './protocols/embeddings.ts'
import { messages } from './protocols/messages/protocol.ts'
import type { Protocol } from './protocols/protocol.ts'
import { responses } from './protocols/responses/protocol.ts'
import { countTokens } from './routes/count-tokens.ts'
import { findModel, listModels } from './routes/list-models.ts'

export type Route = (edge: Edge, ctx: EdgeContext) => Promise<void>

/** Every route of `/v1`: path, method, what serves it. */
const routes: Record<string, Record<string, Route>> = {
  '/v1/chat/completions': { POST: chat(chatCompletions) },
  '/v1/embeddings': { POST: chat(embeddings) },
  '/v1/messages': { POST: namingRequest(chat(messages)) },
  '/v1/messages/count_tokens': { POST: namingRequest(countTokens) },
  '/v1/models': { GET: listModels },
  '/v1/models/*': { GET: findModel },
  '/v1/responses': { POST: chat(responses) },
}

/** What a path takes, with or without a slash at its end. */
export function methodsAt(path: string): Record<string, Route> | undefined {
  const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  return routes[plain] ?? (plain.startsWith('/v1/models/') ? routes['/v1/models/*'] : undefined)
}

function chat(protocol: Protocol): Route {
  return (edge, ctx) => serveChat(edge, ctx, protocol)
}

/** Clients of the Messages protocol know a request by the header `request-id`. */
function namingRequest(route: Route): Route {
  return (edge, ctx) => {
    ctx.set('request-id', ctx.state.record.requestId)
    return route(edge, ctx)
  }
}
