import type { IncomingMessage, ServerResponse } from 'node:http'
import { pathOf } from './open-server.ts'

/** The web pages that may call addresses with some prefixes. */
export interface CorsRule {
  prefixes: readonly string[]
  /** Origins as browsers send them. Empty if pages of other origins cannot call. */
  origins: readonly string[]
}

/** Time for which browsers cache a preflight response, in seconds. Chrome caches none for longer. */
const maxAgeSeconds = 7_200

/** Maximum length of the header names in a preflight, in bytes. */
const maxNamesBytes = 2_000
const headerNames = /^[\w!#$%&'*+.^`|~-]+(\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/

/** Response headers that scripts may read in addition to the ones that every script can read. */
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
 * Allows web pages of configured origins to send requests (docs/behaviour.md, Web pages). Call it before any other
 * handler. It sets the headers of the response. If the request is a preflight of an allowed page, it responds and
 * returns true. Pages send tokens in headers and never in cookies, so CORS credentials are not allowed.
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

/** SDKs send their own headers, so every header that a trusted page requests is allowed. */
function answerPreflight({ headers }: IncomingMessage, response: ServerResponse): void {
  const names = headers['access-control-request-headers']
  response.appendHeader('vary', 'Access-Control-Request-Headers')
  response.setHeader('access-control-allow-methods', 'GET, HEAD, POST, PUT, DELETE')
  if (names && names.length <= maxNamesBytes && headerNames.test(names))
    response.setHeader('access-control-allow-headers', names)
  response.setHeader('access-control-max-age', maxAgeSeconds)
  response.writeHead(204).end()
}
