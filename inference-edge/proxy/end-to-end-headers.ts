import type { IncomingHttpHeaders } from 'node:http'

/** Headers that describe one connection (RFC 9110, 7.6.1), and the trailers that the edge does not forward. */
const hopByHop =
  /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-connection|proxy-auth.*)$/

/**
 * Returns the headers of a message that its next recipient gets: all but those of the connection that it came over,
 * which are the known ones and those that `Connection` lists.
 */
export function endToEndHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const listed = new Set(headers.connection?.split(',').map(name => name.trim().toLowerCase()))
  const kept = Object.entries(headers).filter(([name]) => !hopByHop.test(name) && !listed.has(name))
  return Object.fromEntries(kept)
}
