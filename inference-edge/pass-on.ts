import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { createProxyServer } from 'httpxy'
import type { Context } from 'koa'
import { asksForWebSocket } from '../platform/http/open-server.ts'
import { originFormOf, pathOf } from '../platform/http/origin-form.ts'
import type { Ids } from '../platform/ids.ts'
import { Problem, presentProblem } from '../schema/errors.ts'

/** The door to the control plane behind the same address. */
export interface PassOn {
  takes(path: string): boolean
  http(ctx: Context): void
  /** Whether a request is to leave HTTP. Never throws. */
  upgrades(request: IncomingMessage): boolean
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Cuts the WebSockets that are open: no server closes before they have. */
  close(): void
}

const prefixes = ['/api/v1', '/graphql', '/.well-known']

/**
 * Passes `/api/v1`, `/graphql` (HTTP, SSE, WebSocket) and `/.well-known` on to the control plane, streaming both
 * ways. While that is down the answer is `control_unavailable`, and `/v1` goes on.
 */
export function openPassOn(options: { controlUrl: string; ids: Ids }): PassOn {
  const proxy = createProxyServer({ target: options.controlUrl, ws: true, xfwd: true })
  const sockets = new Set<Duplex>()
  const takes = (path: string) => prefixes.some(prefix => path === prefix || path.startsWith(`${prefix}/`))
  return {
    takes,
    http(ctx) {
      ctx.respond = false
      proxy.web(ctx.req, ctx.res).catch(() => {
        if (ctx.res.headersSent) return void ctx.res.destroy()
        const problem = new Problem('control_unavailable')
        ctx.res.writeHead(problem.status, {
          'content-type': 'application/json',
          'retry-after': '1',
          'x-request-id': options.ids.tagged('req_'),
        })
        ctx.res.end(JSON.stringify(presentProblem(problem)))
      })
    },
    upgrades: request => asksForWebSocket(request) && takes(pathOf(request)),
    upgrade(request, socket, head) {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      request.url = originFormOf(request)
      proxy.ws(request, socket as never, {}, head).catch(() => socket.destroy())
    },
    close() {
      for (const socket of sockets) socket.destroy(new Error('the edge closes')) // an error also ends the other side
    },
  }
}
