import type { Context } from 'koa'
import type { Edge } from './edge.ts'
import { chatCompletions } from './routes/chat-completions.ts'
import { listModels } from './routes/list-models.ts'
import { responses } from './routes/responses.ts'

export type Route = (edge: Edge, ctx: Context) => Promise<void>

/** Every route of `/v1`: path, method, what serves it. */
export const routes: Record<string, Record<string, Route>> = {
  '/v1/chat/completions': { POST: chatCompletions },
  '/v1/models': { GET: listModels },
  '/v1/responses': { POST: responses },
}
