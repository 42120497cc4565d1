import type { OutgoingHttpHeaders } from 'node:http'
import type { Exchange } from '../../server/exchange.ts'
import { checkKey } from '../check-key.ts'
import type { VendorApi } from '../simulator.ts'
import { refuse, refuseFailure, refuseKey } from './errors.ts'
import { generateContent } from './generate.ts'
import { downloadFile, readOperation, startOperation } from './operations.ts'

/** Gemini's API at `{simulator}/gemini`. Any model name works. */
export const gemini: VendorApi = {
  prefix: '/gemini/',
  routes: [
    {
      method: 'POST',
      path: /^\/gemini\/v1(beta)?\/models\/(?<model>[^/]+):(?<method>generateContent|streamGenerateContent)$/,
      handle: generateContent({
        authenticate: (_simulator, exchange) => authenticate(exchange),
        presentHeaders,
        refuseFailure,
      }),
    },
    {
      method: 'POST',
      path: /^\/gemini\/v1beta\/models\/(?<model>[^/]+):predictLongRunning$/,
      handle: startOperation(authenticate),
    },
    {
      method: 'GET',
      path: /^\/gemini\/v1beta\/models\/[^/]+\/operations\/(?<id>[\w-]+)$/,
      handle: readOperation(authenticate),
    },
    {
      method: 'GET',
      path: /^\/gemini\/v1beta\/files\/(?<name>[\w.-]+):download$/,
      handle: downloadFile(authenticate),
    },
  ],
  presentHeaders,
  refuseUnknown: () => refuse(404, 'Requested entity was not found.'),
  refuseTooLarge: () => refuse(400, 'Request payload size exceeds the limit: 104857600 bytes.'),
}

/** The headers of all Google answers. None contains a request ID. */
export function presentHeaders(): OutgoingHttpHeaders {
  return {
    'x-content-type-options': 'nosniff',
    'server-timing': 'gfet4t7; dur=1',
    vary: 'Origin, X-Origin, Referer',
  }
}

const noKey =
  "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API."

/** Returns the API key of a request, from the header or the query. `checkKey` defines the valid keys. */
function authenticate({ request, query }: Exchange): string {
  const key = request.headers['x-goog-api-key'] ?? query.get('key')
  if (typeof key !== 'string') throw refuse(403, noKey)
  return checkKey(key, { refuseKey, keyStatus: 400, refuseFailure })
}
