import Koa, { type Context, type Next } from 'koa'
import { Problem } from '../schema/errors.ts'
import { answerProblems } from './door/answer-problems.ts'
import { logRequest } from './door/log-request.ts'
import { enter } from './door/shed-load.ts'
import type { Edge } from './edge.ts'
import type { PassOn } from './pass-on.ts'
import { routes } from './routes.ts'

/** The edge as a Koa app: health, what is passed on to the control plane, and the routes of `/v1`. */
export function openApp(edge: Edge, options: { passOn: PassOn; isReady(): Promise<boolean> }): Koa {
  const app = new Koa()
  app.silent = true
  app.use(async (ctx, next) => {
    if (ctx.path === '/healthz') ctx.body = { ok: true }
    else if (ctx.path === '/readyz') await answerReady(ctx, options.isReady)
    else if (options.passOn.takes(ctx.path)) options.passOn.http(ctx)
    else await next()
  })
  app.use(logRequest({ ...edge.inference.context, lines: edge.lines }))
  app.use(answerProblems(edge.log))
  app.use(async (ctx: Context, _: Next) => {
    const methods = routes[ctx.path]
    if (!methods) throw new Problem('not_found')
    const route = methods[ctx.method]
    if (!route) {
      ctx.set('allow', Object.keys(methods).join(', '))
      throw new Problem('method_not_allowed')
    }
    const leave = enter(edge.load, edge.config)
    try {
      await route(edge, ctx)
    } finally {
      leave()
    }
  })
  return app
}

async function answerReady(ctx: Context, isReady: () => Promise<boolean>): Promise<void> {
  const ready = await isReady()
  ctx.status = ready ? 200 : 503
  ctx.body = { ready }
}
