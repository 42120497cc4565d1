import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { endToEndHeaders } from './end-to-end-headers.ts'
import { openRequest } from './forward-request.ts'

interface UpgradeOptions {
  target: URL
  /** The headers that the target gets, without upgrade headers. */
  headers: OutgoingHttpHeaders
  socket: Duplex
  /** Bytes that the client has already sent after its request. */
  head: Buffer
  signal: AbortSignal
}

/**
 * Requests a WebSocket from `target`, and joins both connections if the target accepts. Otherwise returns its response.
 * Throws the error that ends the exchange before that.
 */
export function forwardUpgrade(
  incoming: IncomingMessage,
  { target, headers, socket, head, signal }: UpgradeOptions,
): Promise<IncomingMessage | undefined> {
  const wish = { connection: 'Upgrade', upgrade: 'websocket' }
  const outgoing = openRequest(incoming, { target, agent: false, signal, headers: { ...headers, ...wish } })
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.once('response', resolve)
    outgoing.once('upgrade', (answer, upstream, first) => {
      socket.write(switchingProtocols({ ...endToEndHeaders(answer.headers), ...wish }))
      socket.write(first)
      upstream.write(head)
      join(socket, upstream)
      resolve(undefined)
    })
    outgoing.end()
  })
}

function switchingProtocols(headers: OutgoingHttpHeaders): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map(each => `${name}: ${each}\r\n`),
  )
  return `HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`
}

/** Forwards bytes in both directions. If one connection fails, the other one is ended. */
function join(client: Duplex, upstream: Duplex): void {
  for (const socket of [client, upstream]) {
    if (socket instanceof Socket) socket.setTimeout(0).setNoDelay().setKeepAlive(true)
  }
  client
    .pipe(upstream)
    .on('error', () => {})
    .pipe(client)
  client.once('close', () => upstream.destroy())
  upstream.once('close', () => upstream.readableEnded || client.destroy())
}
