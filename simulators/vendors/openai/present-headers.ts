import type { OutgoingHttpHeaders } from 'node:http'
import type { Exchange } from '../server/exchange.ts'

/** The headers that OpenAI adds to all its answers. */
export function presentHeaders({ id }: Exchange): OutgoingHttpHeaders {
  return {
    'openai-organization': 'org-sim',
    'openai-processing-ms': '1',
    'openai-version': '2020-10-01',
    'x-request-id': `req_${id.toString(16).padStart(32, '0')}`,
  }
}
