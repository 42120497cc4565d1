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
  /** Whether a request is to leave HTTP. Must not throw. */
  upgrades?: (request: IncomingMessage) => boolean
  /** What is answered where there is no request that may be taken. */
  refuse?: (malformed: Malformed) => Refusal
}

/**
 * A server that hands on every request with a path as its target and one host, so that nobody behind it reads
 * what is no URL or takes another host for the one that is meant. Only what `upgrades` wants leaves HTTP;
 * other wishes to do so are answered as the requests that they are, as clients that offer HTTP/2 on a plain
 * connection expect (RFC 9110, 7.8).
 */
export function openServer(
  listener: RequestListener,
  { upgrades = () => false, refuse = refusePlainly }: ServerOptions = {},
): Server {
  const options = {
    connectionsCheckingInterval: 1_000,
    requireHostHeader: false, // refused here, in the shape of every error
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

/** Scheme and authority of an absolute target; nothing in it need be a name of a host. */
const beforePath = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i

/** What nearly every target is: one slash, then something else. */
const isPlainPath = /^\/[^\\/]/

/**
 * A request's target as a path with its query: an absolute one, which servers must take too, loses scheme and
 * host (RFC 9112, 3.2.2), and slashes that begin it, of either kind, become one, since parsers read a host
 * after two. Never throws: what was sent need be no URL.
 */
export function originFormOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  if (isPlainPath.test(url)) return url
  const target = url.replace(beforePath, '')
  return target === '*' ? target : target.replace(/^[\\/]*/, '/')
}

/** The path alone, as it was sent. Never throws. */
export function pathOf(request: Pick<IncomingMessage, 'url'>): string {
  return originFormOf(request).replace(/[?#].*$/s, '')
}
