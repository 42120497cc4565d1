import type { OutgoingHttpHeaders } from 'node:http'
import type { Exchange } from '../../server/exchange.ts'
import { checkKey } from '../host.ts'
import type { VendorApi } from '../simulator.ts'
import { refuse, refuseFailure } from './errors.ts'
import { createMessage } from './messages.ts'

/** Anthropic's API at `{simulator}/anthropic`. */
export const anthropic: VendorApi = {
  prefix: '/anthropic/',
  routes: [
    {
      method: 'POST',
      path: '/anthropic/v1/messages',
      handle: createMessage({ authenticate, presentHeaders, refuseFailure }),
    },
  ],
  presentHeaders,
  refuseUnknown: (method, path) =>
    anthropic.routes.some(route => route.path === path)
      ? refuse(405, `Method Not Allowed: ${method}`)
      : refuse(404, 'Not found'),
  refuseTooLarge: () => refuse(413, 'Request exceeds the maximum size'),
}

/** Returns the API key of a request, from either header. `checkKey` defines the valid keys. */
function authenticate({ request }: Exchange): string {
  const bearer = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const key = request.headers['x-api-key'] ?? bearer
  if (typeof key !== 'string') throw refuse(401, 'x-api-key header is required')
  const refuseKey = () => refuse(401, bearer ? 'Invalid bearer token' : 'invalid x-api-key')
  return checkKey(key, { refuseKey, refuseFailure })
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
