import type { OutgoingHttpHeaders } from 'node:http'
import type { Exchange } from '../../server/exchange.ts'
import { checkKey } from '../host.ts'
import { refuseFailure, refuseKey } from './errors.ts'

/** The headers of all Google answers. None contains a request ID. */
export function presentHeaders(): OutgoingHttpHeaders {
  return {
    'x-content-type-options': 'nosniff',
    'server-timing': 'gfet4t7; dur=1',
    vary: 'Origin, X-Origin, Referer',
  }
}

/** Returns the API key of a request, from the header or the query. `checkKey` defines the valid keys. */
export function authenticate({ request, query }: Exchange): string {
  const key = String(request.headers['x-goog-api-key'] ?? query.get('key'))
  return checkKey(key, { refuseKey, keyStatus: 400, refuseFailure })
}
