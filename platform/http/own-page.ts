import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether a web page of this service sent the request. `origin` is the origin of BASE_URL. Behind another address, the
 * browser's own statement counts, which scripts cannot change. A request without `Origin` does not count: browsers send
 * it with every POST.
 */
export function isFromOwnPage(headers: IncomingHttpHeaders, origin: string): boolean {
  const { origin: stated } = headers
  return stated === origin || (Boolean(stated) && headers['sec-fetch-site'] === 'same-origin')
}
