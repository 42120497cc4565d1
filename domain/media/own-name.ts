import type { Config } from '../../platform/config/read-config.ts'
import { isLoopback } from '../../platform/http/addresses.ts'

/** The path under which every edge serves stored files, beside that of `MEDIA_URL`. */
export const ownPrefix = '/media/'

/** Maximum number of times that a path is decoded: proxies in front of an edge may decode it again. */
const maxDecodings = 4

/**
 * Returns the name of the stored file to which a URL leads, in any notation: other escapes, slashes, host names of this
 * machine, queries. Returns undefined for any other URL.
 */
export function ownNameOf(
  { mediaUrl, baseUrl }: Pick<Config, 'mediaUrl' | 'baseUrl'>,
  address: string,
): string | undefined {
  const url = URL.parse(address)
  if (!url) return undefined
  const path = plainPathOf(url)
  for (const base of [new URL(`${mediaUrl}/`), new URL(ownPrefix, baseUrl)]) {
    const prefix = plainPathOf(base)
    if (hostOf(url) === hostOf(base) && path.startsWith(prefix)) return path.slice(prefix.length)
  }
  return undefined
}

/** Returns host and port, the same for every name of this machine. */
function hostOf({ hostname, port }: URL): string {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return `${host === 'localhost' || isLoopback(host) ? 'localhost' : host}:${port}`
}

/** Returns a path with single slashes, without escapes and dot segments. */
function plainPathOf({ pathname }: URL): string {
  let path = pathname
  for (let count = 0; count < maxDecodings && path.includes('%'); count++) path = decode(path)
  const segments: string[] = []
  for (const segment of path.split(/[\\/]+/)) {
    if (segment === '..' && segments.length > 1) segments.pop()
    else if (segment !== '.') segments.push(segment)
  }
  return segments.join('/')
}

/** Names are ASCII: each escape is one character. Never throws. */
function decode(path: string): string {
  return path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
