import type { VendorApi } from '../simulator.ts'
import { anthropicHost } from './host.ts'
import { createMessage } from './messages.ts'

/** Anthropic's API at `{simulator}/anthropic`. */
export const anthropic: VendorApi = {
  routes: { 'POST /anthropic/v1/messages': createMessage(anthropicHost) },
  presentHeaders: ({ id }) => ({
    'request-id': `req_${id.toString(36).padStart(24, '0')}`,
    'anthropic-organization-id': 'org-sim',
    'anthropic-ratelimit-requests-limit': '50',
    'anthropic-ratelimit-requests-remaining': '49',
  }),
}
