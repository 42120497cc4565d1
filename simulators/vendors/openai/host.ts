import type { OutgoingHttpHeaders } from 'node:http'
import type { Exchange } from '../../server/exchange.ts'
import { bearerOf, checkKey } from '../host.ts'
import type { ChatHost } from './chat.ts'
import { errorInAnswer, refuse, refuseFailure } from './errors.ts'

/** OpenAI as the host of its models. `hosts/compatible.ts` reuses it. */
export const openaiHost: ChatHost = {
  presentHeaders,
  refuseFailure,
  errorInAnswer,
  authenticate: exchange =>
    checkKey(bearerOf(exchange), {
      refuseKey: () => refuse(401, 'Incorrect API key provided.', { code: 'invalid_api_key' }),
      keyStatus: 401,
      refuseFailure,
    }),
}

/** The headers of all OpenAI answers. */
function presentHeaders({ id }: Exchange): OutgoingHttpHeaders {
  return {
    'openai-organization': 'org-sim',
    'openai-processing-ms': '1',
    'openai-version': '2020-10-01',
    'x-request-id': `req_${id.toString(16).padStart(32, '0')}`,
  }
}
