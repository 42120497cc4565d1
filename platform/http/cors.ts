import type { IncomingMessage, ServerResponse } from 'node:http'
import { pathOf } from './open-server.ts'

/** Which web pages may call the addresses under some prefixes. */
export interface CorsRule {
  prefixes: readonly string[]
  /** Origins as browsers send them. Empty if pages of other origins cannot call. */
  origins: readonly string[]
}

/** Time for which browsers cache a preflight response, in seconds. Chrome caches none for longer. */
const maxAgeSeconds = 7_200

/** Names of headers that a preflight may ask for, in bytes. */
const maxNamesBytes = 2_000
const headerNames = /^[\w!#$%&'*+.^`|~-]+(\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/

/** What scripts may read beyond the headers that browsers show to every script. */
const exposedHeaders = [
  'x-request-id',
  'request-id',
  'retry-after',
  'x-should-retry',
  'x-model',
  'idempotent-replayed',
  'content-disposition',
  ...['requests', 'tokens'].flatMap(name => [
    `x-ratelimit-limit-${name}`,
    `x-ratelimit-remaining-${name}`,
    `x-ratelimit-reset-${name}`,
  ]),
].join(', ')

/**
 * Lets web pages of the origins that a setting names call us (docs/behaviour.md, Web pages). Call it before anything
 * else answers: it sets the headers of the answer, and where the request is a preflight of such a page it answers it
 * and returns true. Credentials are in headers that pages set themselves, never in cookies, so none are allowed.
 */
export function openCors(
  rules: readonly CorsRule[],
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const live = rules
    .filter(({ origins }) => origins.length > 0)
    .map(({ prefixes, origins }) => ({ prefixes, origins: new Set(origins) }))
  if (live.length === 0) return () => false

  return (request, response) => {
    const path = pathOf(request)
    const rule = live.find(({ prefixes }) =>
      prefixes.some(prefix => path === prefix || path.startsWith(`${prefix}/`)),
    )
    if (!rule) return false
    response.appendHeader('vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined || !rule.origins.has(origin)) return false
    response.setHeader('access-control-allow-origin', origin)
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      answerPreflight(request, response)
      return true
    }
    response.setHeader('access-control-expose-headers', exposedHeaders)
    return false
  }
}

/** SDKs send headers of their own, so what a trusted page asks for is allowed. */
function answerPreflight({ headers }: IncomingMessage, response: ServerResponse): void {
  const names = headers['access-control-request-headers']
  response.appendHeader('vary', 'Access-Control-Request-Headers')
  response.setHeader('access-control-allow-methods', 'GET, HEAD, POST, PUT, DELETE')
  if (names && names.length <= maxNamesBytes && headerNames.test(names))
    response.setHeader('access-control-allow-headers', names)
  response.setHeader('access-control-max-age', maxAgeSeconds)
  response.writeHead(204).end()
}
