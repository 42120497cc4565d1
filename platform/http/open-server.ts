import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import {
  answerMalformed,
  hasOneHost,
  type Malformed,
  type Refusal,
  refuseHosts,
  refusePlainly,
} from './refuse-malformed.ts'

export interface ServerOptions {
  /** Returns whether a request may switch to another protocol. Must not throw. */
  upgrades?: (request: IncomingMessage) => boolean
  /** Returns the response to a malformed request. */
  refuse?: (malformed: Malformed) => Refusal
}

/**
 * Opens a server whose handlers receive only requests with a path as target and a single host, so that no handler reads
 * an invalid URL or confuses two hosts. Only requests that `upgrades` accepts switch to another protocol. Other
 * requests for an upgrade are served as plain requests, because clients that offer HTTP/2 on a plain connection expect
 * this (RFC 9110, 7.8).
 */
export function openServer(
  listener: RequestListener,
  { upgrades = () => false, refuse = refusePlainly }: ServerOptions = {},
): Server {
  const options = {
    connectionsCheckingInterval: 1_000,
    requireHostHeader: false, // refused below, with the usual error body
    shouldUpgradeCallback: (request: IncomingMessage) => hasOneHost(request) && upgrades(request),
  }
  const server = createServer(options, (request, response) => {
    response.setHeader('x-content-type-options', 'nosniff')
    if (!hasOneHost(request)) return refuseHosts(request, response, refuse)
    request.url = originFormOf(request)
    return listener(request, response)
  })
  answerMalformed(server, refuse)
  return server
}

/** Whether a request asks for an upgrade to WebSocket. */
export function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}

/** Matches scheme and authority of an absolute target. The authority can be invalid. */
const beforePath = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i

/** Matches nearly every target: one slash, then another character. */
const isPlainPath = /^\/[^\\/]/

/**
 * Returns a request's target as a path with its query. An absolute target, which servers must accept, loses scheme and
 * host (RFC 9112, 3.2.2). Several leading slashes or backslashes become one, because parsers read a host after two.
 * Never throws, even if the target is not a URL.
 */
export function originFormOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  if (isPlainPath.test(url)) return url
  const target = url.replace(beforePath, '')
  return target === '*' ? target : target.replace(/^[\\/]*/, '/')
}

/** Returns the path of a request, verbatim. Never throws. */
export function pathOf(request: Pick<IncomingMessage, 'url'>): string {
  return originFormOf(request).replace(/[?#].*$/s, '')
}
