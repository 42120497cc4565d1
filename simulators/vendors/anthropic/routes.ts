import type { OutgoingHttpHeaders } from 'node:http'
import type { Exchange } from '../../server/exchange.ts'
import { bearerOf, checkKey } from '../host.ts'
import type { VendorApi } from '../simulator.ts'
import { refuse, refuseFailure } from './errors.ts'
import { createMessage } from './messages.ts'

/** Anthropic's API at `{simulator}/anthropic`. */
export const anthropic: VendorApi = {
  routes: [
    {
      method: 'POST',
      path: '/anthropic/v1/messages',
      handle: createMessage({ authenticate, presentHeaders, refuseFailure }),
    },
  ],
  presentHeaders,
}

/** Returns the API key of a request, from either header. `checkKey` defines the valid keys. */
function authenticate(exchange: Exchange): string {
  const key = String(exchange.request.headers['x-api-key'] ?? bearerOf(exchange))
  return checkKey(key, { refuseKey: () => refuse(401, 'invalid x-api-key'), refuseFailure })
}

/** The headers of all Anthropic answers. */
function presentHeaders({ id }: Exchange): OutgoingHttpHeaders {
  return {
    'request-id': `req_${id.toString(36).padStart(24, '0')}`,
    'anthropic-organization-id': 'org-sim',
    'anthropic-ratelimit-requests-limit': '50',
    'anthropic-ratelimit-requests-remaining': '49',
  }
}
