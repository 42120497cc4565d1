import type { RequestListener } from 'node:http'
import Koa from 'koa'
import { answerHealth } from '../platform/http/health.ts'
import { asksForPage, showPage } from '../platform/pages/show-page.ts'
import { Problem } from '../schema/errors.ts'
import type { Edge, EdgeContext, RequestState, Route } from './edge.ts'
import { openMediaServer } from './media/open-media-server.ts'
import { openEdgeProblems } from './middleware/answer-problems.ts'
import { beginRequest, logRequest } from './middleware/log-request.ts'
import type { ControlProxy } from './proxy/control-proxy.ts'
import { directRoutes, servedAt } from './routes.ts'

/**
 * Returns the listener of the edge. A Koa app serves health checks, forwards to the control plane, and serves the routes
 * of `/v1`. The direct routes are served without its middleware (docs/decisions/2026-11-26-a-straight-path.md).
 */
export function openApp(
  edge: Edge,
  options: { proxy: ControlProxy; isDraining(): boolean },
): RequestListener {
  const serve = openService(edge)
  const app = new Koa<RequestState>()
  app.silent = true
  app.use((ctx, next) => {
    const opensHome = ctx.path === '/' && asksForPage(ctx) // The control plane leads browsers to the console.
    return opensHome || options.proxy.takes(ctx.path) ? options.proxy.http(ctx) : next()
  })
  const { context, committer } = edge.inference
  app.use(answerHealth({ ...context, committer }, options.isDraining))
  const findRoute = openRoutes(edge)
  app.use(ctx => serve(ctx, findRoute))
  const throughKoa = app.callback()
  return (request, response) => {
    const route = request.method === 'POST' ? directRoutes.get(request.url ?? '') : undefined
    if (!route) return void throughKoa(request, response)
    const ctx = app.createContext<RequestState>(request, response)
    void serve(ctx, () => runRoute(edge, ctx, route)).then(() => {
      if (ctx.respond !== false) response.end() // its client has disconnected
    })
  }
}

/** Returns the function that serves a request with a route, answers its error and logs it. It never throws. */
function openService(edge: Edge): (ctx: EdgeContext, route: Route) => Promise<void> {
  const answerProblem = openEdgeProblems(edge)
  return async (ctx, route) => {
    beginRequest(edge, ctx)
    try {
      await route(edge, ctx)
    } catch (error) {
      answerProblem(ctx, error)
    }
    logRequest(edge, ctx)
  }
}

/** Returns the route that finds the route of a request by its path and method, and runs it. */
function openRoutes(edge: Edge): Route {
  const media = openMediaServer(edge)
  return async (_edge, ctx) => {
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
    return runRoute(edge, ctx, route)
  }
}

/** Runs a route. Its request counts as in flight. */
async function runRoute(edge: Edge, ctx: EdgeContext, route: Route): Promise<void> {
  edge.load.inFlight += 1
  try {
    await route(edge, ctx)
  } finally {
    edge.load.inFlight -= 1
  }
}
