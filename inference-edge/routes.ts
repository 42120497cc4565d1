import type { Edge, EdgeContext } from './edge.ts'
import { chatCompletions } from './routes/chat-completions.ts'
import { countTokens } from './routes/count-tokens.ts'
import { embeddings } from './routes/embeddings.ts'
import { findModel, listModels } from './routes/list-models.ts'
import { messages } from './routes/messages.ts'
import { responses } from './routes/responses.ts'

export type Route = (edge: Edge, ctx: EdgeContext) => Promise<void>

/** Every route of `/v1`: path, method, what serves it. */
const routes: Record<string, Record<string, Route>> = {
  '/v1/chat/completions': { POST: chatCompletions },
  '/v1/embeddings': { POST: embeddings },
  '/v1/messages': { POST: messages },
  '/v1/messages/count_tokens': { POST: countTokens },
  '/v1/models': { GET: listModels },
  '/v1/models/*': { GET: findModel },
  '/v1/responses': { POST: responses },
}

/** What a path takes, with or without a slash at its end. */
export function methodsAt(path: string): Record<string, Route> | undefined {
  const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  return routes[plain] ?? (plain.startsWith('/v1/models/') ? routes['/v1/models/*'] : undefined)
}
