import type { OutgoingHttpHeaders } from 'node:http'
import type { Exchange } from '../server/exchange.ts'

/** The headers that Anthropic adds to all its answers. */
export function presentHeaders({ id }: Pick<Exchange, 'id'>): OutgoingHttpHeaders {
  return {
    'request-id': `req_${id.toString(36).padStart(24, '0')}`,
    'anthropic-organization-id': 'org-sim',
    'anthropic-ratelimit-requests-limit': '50',
    'anthropic-ratelimit-requests-remaining': '49',
  }
}
