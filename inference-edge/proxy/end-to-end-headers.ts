import type { IncomingHttpHeaders } from 'node:http'

/** Headers that describe one connection (RFC 9110, 7.6.1), and the trailers that the edge does not forward. */
const hopByHop =
  /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-connection|proxy-auth.*)$/

/**
 * Returns the headers for the next recipient of a message: all except the headers of the connection, which are the
 * standard ones and the ones that `Connection` lists.
 */
export function endToEndHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const listed = new Set(headers.connection?.split(',').map(name => name.trim().toLowerCase()))
  const kept = Object.entries(headers).filter(([name]) => !hopByHop.test(name) && !listed.has(name))
  return Object.fromEntries(kept)
}
