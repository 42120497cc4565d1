import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { createProxyServer } from 'httpxy'
import type { Context } from 'koa'
import type { ClientAddress } from '../platform/http/client-address.ts'
import { asksForWebSocket } from '../platform/http/open-server.ts'
import { originFormOf, pathOf } from '../platform/http/origin-form.ts'
import type { Ids } from '../platform/ids.ts'
import type { LogLines } from '../platform/log-lines.ts'
import { Problem, presentProblem } from '../schema/errors.ts'

/** The door to the control plane behind the same address. */
export interface PassOn {
  takes(path: string): boolean
  http(ctx: Context): void
  /** Whether a request is to leave HTTP. Never throws. */
  upgrades(request: IncomingMessage): boolean
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Cuts what has no end, WebSockets and streams of events, now and from now on: no server closes before they have. */
  close(): void
}

interface PassOnOptions {
  controlUrl: string
  ids: Ids
  clientAddressOf: ClientAddress
  /** Told of what the control plane cannot tell itself. */
  lines: LogLines | undefined
}

const prefixes = ['/api/v1', '/graphql', '/.well-known']

/** What could say where a request comes from, also where nobody reads it yet. */
const origins = /^(x-forwarded.*|forwarded|x-real-ip)$/

/**
 * Passes `/api/v1`, `/graphql` (HTTP, SSE, WebSocket) and `/.well-known` on to the control plane, streaming both
 * ways. That believes the edge, so the edge alone says where a request comes from. While the control plane is down
 * the answer is `control_unavailable`, and `/v1` goes on.
 */
export function openPassOn(options: PassOnOptions): PassOn {
  const proxy = createProxyServer({ target: options.controlUrl, ws: true })
  const endless = new Set<Duplex | ServerResponse>()
  let closing = false
  const watch = (stream: Duplex | ServerResponse) => {
    endless.add(stream)
    stream.once('close', () => endless.delete(stream))
  }
  proxy.on('proxyRes', ({ headers }, _, response) => {
    if (!headers['content-type']?.startsWith('text/event-stream')) return
    if (closing) response.destroy()
    else watch(response)
  })
  const takes = (path: string) => prefixes.some(prefix => path === prefix || path.startsWith(`${prefix}/`))
  return {
    takes,
    http(ctx) {
      ctx.respond = false
      if (!nameClient(ctx.req, options.clientAddressOf)) return void ctx.res.destroy()
      proxy.web(ctx.req, ctx.res).catch(() => {
        if (ctx.res.headersSent) return void ctx.res.destroy()
        answerUnavailable(ctx, options)
      })
    },
    upgrades: request => asksForWebSocket(request) && takes(pathOf(request)),
    upgrade(request, socket, head) {
      if (closing || !nameClient(request, options.clientAddressOf)) return void socket.destroy()
      watch(socket)
      request.url = originFormOf(request)
      proxy.ws(request, socket as never, {}, head).catch(() => socket.destroy())
    },
    close() {
      closing = true
      for (const stream of endless) stream.destroy(new Error('the edge closes')) // an error also ends the other side
    },
  }
}

function answerUnavailable({ res, method, path }: Context, { ids, lines }: PassOnOptions): void {
  const problem = new Problem('control_unavailable')
  const { status, code } = problem
  const requestId = ids.tagged('req_')
  lines?.tell({ requestId, method, path, status, error: code })
  res.writeHead(status, { 'content-type': 'application/json', 'retry-after': '1', 'x-request-id': requestId })
  res.end(JSON.stringify(presentProblem(problem)))
}

/**
 * Replaces whatever a request says of its origin by the client's address as the edge sees it; false where that is
 * gone with its connection. Of two credentials the receiver is told both, and refuses them: headers that are passed
 * on would carry the first alone.
 */
function nameClient(request: IncomingMessage, clientAddressOf: ClientAddress): boolean {
  const address = clientAddressOf(request)
  const { headers, headersDistinct } = request
  for (const name of Object.keys(headers)) if (origins.test(name)) delete headers[name]
  headers['x-forwarded-for'] = address
  const credentials = headersDistinct.authorization ?? []
  if (credentials.length > 1) headers.authorization = credentials.join(', ')
  return address !== ''
}
