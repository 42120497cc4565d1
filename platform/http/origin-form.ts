import type { IncomingMessage } from 'node:http'

/** Scheme and authority of an absolute target; nothing in it need be a name of a host. */
const beforePath = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i

/**
 * A request's target as a path with its query: an absolute one, which servers must take too, loses scheme and
 * host (RFC 9112, 3.2.2), and slashes that begin it, of either kind, become one, since parsers read a host
 * after two. Never throws: what was sent need be no URL.
 */
export function originFormOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const target = url.replace(beforePath, '')
  return target === '*' ? target : target.replace(/^[\\/]*/, '/')
}

/** The path alone, as it was sent. Never throws. */
export function pathOf(request: Pick<IncomingMessage, 'url'>): string {
  return originFormOf(request).replace(/[?#].*$/s, '')
}
