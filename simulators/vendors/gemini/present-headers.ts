import type { OutgoingHttpHeaders } from 'node:http'

/** The headers that Google adds to all its answers: none that names the request. */
export function presentHeaders(): OutgoingHttpHeaders {
  return {
    'x-content-type-options': 'nosniff',
    'server-timing': 'gfet4t7; dur=1',
    vary: 'Origin, X-Origin, Referer',
  }
}
