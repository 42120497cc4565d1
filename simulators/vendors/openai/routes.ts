import type { WireFormat } from '../server/exchange.ts'
import { completeChat } from './chat/complete-chat.ts'
import { createEmbeddings } from './embeddings/create-embeddings.ts'
import { listModels, showModel } from './list-models.ts'
import { presentHeaders } from './present-headers.ts'
import { refuse } from './refuse.ts'

/** OpenAI's API below `{simulator}/openai/v1`. */
export const openai: WireFormat = {
  prefix: '/openai/',
  routes: [
    { method: 'POST', path: '/openai/v1/chat/completions', handle: completeChat },
    { method: 'POST', path: '/openai/v1/embeddings', handle: createEmbeddings },
    { method: 'GET', path: '/openai/v1/models', handle: listModels },
    { method: 'GET', path: /^\/openai\/v1\/models\/(?<model>[^/]+)$/, handle: showModel },
  ],
  presentHeaders,
  refuseUnknown: (method, path) => {
    const address = path.replace('/openai', '')
    if (!openai.routes.some(route => route.path === path))
      return refuse(404, `Invalid URL (${method} ${address})`)
    const message = `Not allowed to ${method} on ${address}. (HINT: Perhaps you meant to use a different HTTP method?)`
    return refuse(405, message, { code: 'method_not_supported' })
  },
  refuseTooLarge: () => refuse(413, 'The request body is too large.'),
}
