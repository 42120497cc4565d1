import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { originFormOf } from './origin-form.ts'

/**
 * A server that hands on every request with a path as its target, so that nobody behind it reads what is no URL.
 * Only what `upgrades` wants leaves HTTP; other wishes to do so are answered as the requests that they are, as
 * clients that offer HTTP/2 on a plain connection expect (RFC 9110, 7.8). `upgrades` must not throw.
 */
export function openServer(
  listener: RequestListener,
  { upgrades = () => false }: { upgrades?: (request: IncomingMessage) => boolean } = {},
): Server {
  const options = { connectionsCheckingInterval: 1_000, shouldUpgradeCallback: upgrades }
  return createServer(options, (request, response) => {
    request.url = originFormOf(request)
    return listener(request, response)
  })
}

/** Whether a request asks to go on as WebSocket. */
export function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}
