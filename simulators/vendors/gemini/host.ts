import type { OutgoingHttpHeaders } from 'node:http'
import type { Exchange } from '../../server/exchange.ts'
import { checkKey } from '../host.ts'
import { refuse, refuseFailure, refuseKey } from './errors.ts'

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
export function authenticate({ request, query }: Exchange): string {
  const key = request.headers['x-goog-api-key'] ?? query.get('key')
  if (typeof key !== 'string') throw refuse(403, noKey)
  return checkKey(key, { refuseKey, keyStatus: 400, refuseFailure })
}
