import Koa from 'koa'
import { answerHealth } from '../platform/http/health.ts'
import { asksForPage, showPage } from '../platform/pages/show-page.ts'
import { Problem } from '../schema/errors.ts'
import type { Edge, RequestState } from './edge.ts'
import { openMediaServer } from './media/open-media-server.ts'
import { answerProblems } from './middleware/answer-problems.ts'
import { logRequest } from './middleware/log-request.ts'
import type { ControlProxy } from './proxy/control-proxy.ts'
import { servedAt } from './routes.ts'

/** The edge as a Koa app: health checks, forwarding to the control plane, and the routes of `/v1`. */
export function openApp(
  edge: Edge,
  options: { proxy: ControlProxy; isDraining(): boolean },
): Koa<RequestState> {
  const media = openMediaServer(edge)
  const app = new Koa<RequestState>()
  app.silent = true
  app.use((ctx, next) => (options.proxy.takes(ctx.path) ? options.proxy.http(ctx) : next()))
  app.use(answerHealth(edge.inference.context, options.isDraining))
  app.use(logRequest(edge))
  app.use(answerProblems(edge))
  app.use(async ctx => {
    if (media.takes(ctx.path)) return media.serve(edge, ctx)
    const served = servedAt(ctx.path)
    if (!served && asksForPage(ctx)) return showPage(ctx)
    if (!served) throw new Problem('not_found')
    const { path, methods } = served
    if (path !== ctx.path) ctx.path = path
    const route = methods[ctx.method === 'HEAD' ? 'GET' : ctx.method]
    if (!route) {
      ctx.set('allow', Object.keys(methods).join(', '))
      throw new Problem('method_not_allowed')
    }
    edge.load.inFlight += 1
    try {
      await route(edge, ctx)
    } finally {
      edge.load.inFlight -= 1
    }
  })
  return app
}
