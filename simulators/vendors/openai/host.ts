import type { OutgoingHttpHeaders } from 'node:http'
import type { Exchange } from '../../server/exchange.ts'
import { checkKey } from '../host.ts'
import type { ChatHost } from './chat.ts'
import { errorInAnswer, refuse, refuseFailure } from './errors.ts'

/** OpenAI as the host of its models. `hosts/compatible.ts` reuses it. */
export const openaiHost: ChatHost = { authenticate, presentHeaders, refuseFailure, errorInAnswer }

/** The headers of all OpenAI answers. */
function presentHeaders({ id }: Exchange): OutgoingHttpHeaders {
  return {
    'openai-organization': 'org-sim',
    'openai-processing-ms': '1',
    'openai-version': '2020-10-01',
    'x-request-id': `req_${id.toString(16).padStart(32, '0')}`,
  }
}

const noKey =
  "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY), or as the password field (with blank username) if you're accessing the API from your browser and are prompted for a username. You can obtain an API key from https://platform.openai.com/account/api-keys."

/** Returns the API key of a request. `checkKey` defines the valid keys. */
function authenticate({ request }: Exchange): string {
  const key = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (!key) throw refuse(401, noKey)
  return checkKey(key, {
    refuseKey: () => {
      const [start, end] = key.length <= 12 ? [0, key.length] : [8, key.length - 4]
      const masked = key.slice(0, start) + '*'.repeat(end - start) + key.slice(end)
      const message = `Incorrect API key provided: ${masked}. You can find your API key at https://platform.openai.com/account/api-keys.`
      return refuse(401, message, { code: 'invalid_api_key' })
    },
    keyStatus: 401,
    refuseFailure,
  })
}
