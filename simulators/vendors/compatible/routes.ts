import { authenticate } from '../openai/authenticate.ts'
import { completeChat } from '../openai/chat/complete-chat.ts'
import { presentHeaders } from '../openai/present-headers.ts'
import { refuse } from '../openai/refuse.ts'
import type { Handler, WireFormat } from '../server/exchange.ts'
import { checkRequest } from './check-request.ts'

const handle: Handler = (simulator, exchange) => {
  authenticate(exchange)
  checkRequest(exchange.body.json, simulator.settings)
  return completeChat(simulator, exchange)
}

/**
 * Another vendor that speaks OpenAI's chat format, at `{simulator}/compatible/v1`: it knows less of it, and its prompt
 * cache has no partitions within a key.
 */
export const compatible: WireFormat = {
  prefix: '/compatible/',
  routes: [{ method: 'POST', path: '/compatible/v1/chat/completions', handle }],
  presentHeaders,
  refuseUnknown: (method, path) => refuse(404, `Invalid URL (${method} ${path.replace('/compatible', '')})`),
  refuseTooLarge: () => refuse(413, 'The request body is too large.'),
}
