import Router, { type RouterContext } from '@koa/router'
import type { GraphQLSchema } from 'graphql'
import type Koa from 'koa'
import type { Context } from '../../domain/context.ts'
import { Problem } from '../../schema/errors.ts'
import {
  type Call,
  requireCaller,
  requireManager,
  requireOperator,
  requireSession,
  viewForbidden,
} from '../../subgraphs/runtime/call.ts'
import { requirePermission } from '../../subgraphs/runtime/guard-fields.ts'
import type { TokenWatch } from '../graph/bound-subscriptions.ts'
import type { Graph } from '../graph/open-graph.ts'
import { type ControlContext, type ControlState, readJsonObject } from '../http/control-context.ts'
import { type CompiledRoute, compileRoute } from './compile-route.ts'
import { exportAccount } from './export-account.ts'
import { type ExportFormat, exportFormats, exportPages, exportTypes } from './export-pages.ts'
import { presentPage, readPage, sliceOfPage } from './read-page.ts'
import { readVariables } from './read-variables.ts'
import { accountExportPath } from './routes/account-export.ts'
import type { Route } from './routes/route.ts'
import { runRoute } from './run-route.ts'
import { type Exports, openExports } from './send-export.ts'
import type { SessionCookie } from './session-cookie.ts'

const prefix = '/api/v1'

/** Serves the routes of the REST API. Throws if a route does not match the graph. */
export function mountRest(
  app: Koa<ControlState>,
  options: {
    graph: Graph
    schema: GraphQLSchema
    routes: readonly Route[]
    context: Pick<Context, 'sql' | 'ids' | 'log' | 'allowances'>
    sessionCookie: SessionCookie
    tokens: TokenWatch
    stalledReaderMs: number
  },
): void {
  const { graph, schema, routes, context } = options
  const router = new Router<ControlState>({ prefix })
  const exports = openExports({ ...options, ...context })
  router.get(accountExportPath, exportAccount({ graph, schema, context, exports }))
  for (const route of routes) {
    const compiled = compileRoute(schema, route)
    const path = route.path.replace(/\{(\w+)\}/g, ':$1')
    router.register(path, [route.method], ctx => serve(options, compiled, ctx))
    if (!route.isExported) continue
    for (const format of exportFormats)
      router.register(`${path}.${format}`, [route.method], ctx =>
        serveExport(ctx, { graph, compiled, format, exports }),
      )
  }
  app.use(router.routes())
  app.use(ctx => refuse(router, ctx))
}

/** Authenticates the caller, reads the request, runs the document and presents the result. */
async function serve(
  { graph, sessionCookie }: { graph: Graph; sessionCookie: SessionCookie },
  compiled: CompiledRoute,
  ctx: RouterContext<ControlState>,
): Promise<void> {
  const { route, variables } = compiled
  const { call } = ctx.state
  if (call.caller?.kind === 'view' && route.method !== 'GET') throw viewForbidden()
  requireCallerOf[route.caller ?? 'any'](call)
  const cookie = route.session && sessionCookie.isUsed(ctx) ? sessionCookie : undefined
  const body = await readBody(ctx, compiled, cookie)
  const query = new URLSearchParams(ctx.querystring)
  const page = route.page && readPage(query)
  const read = readVariables(variables, { path: ctx.params, query, body })
  const running = runRoute(graph, {
    compiled,
    call,
    variables: page ? { ...read, ...sliceOfPage(page) } : read,
  })
  const answer = cookie ? await keepSession(ctx, { route, cookie, running }) : await running
  ctx.status = route.status ?? 200
  if (route.status !== 204) ctx.body = page ? presentPage(answer, page, route.page ?? []) : answer
}

/** Sets or deletes the cookie as the result of the operation requires. */
async function keepSession(
  ctx: ControlContext,
  { route, cookie, running }: { route: Route; cookie: SessionCookie; running: Promise<unknown> },
): Promise<unknown> {
  try {
    const answer = await running
    if (route.session === 'ends') cookie.clear(ctx)
    return cookie.store(ctx, answer)
  } catch (error) {
    const hasEnded = error instanceof Problem && error.errorName === 'token_expired'
    if (hasEnded && route.session === 'continues') cookie.clear(ctx)
    throw error
  }
}

/** Checks that a route accepts the caller. */
const requireCallerOf: Record<NonNullable<Route['caller']> | 'any', (call: Call) => unknown> = {
  any: requireCaller,
  manager: requireManager,
  session: requireSession,
  keys: call => requirePermission(call, 'Query.apiKeys'),
  members: call => requirePermission(call, 'Query.members'),
  operator: requireOperator,
  none: () => {},
}

/** Reads the body with the fields that headers set, or returns `undefined` if the route has no body. */
async function readBody(
  ctx: ControlContext,
  { route, takesBody }: CompiledRoute,
  cookie: SessionCookie | undefined,
): Promise<Record<string, unknown> | undefined> {
  if (takesBody === 'none') return undefined
  const isLeftOut = takesBody === 'optional' && !ctx.request.length && ctx.get('transfer-encoding') === ''
  const given = isLeftOut ? {} : without(await readJsonObject(ctx), route.ignores ?? [])
  const kept = cookie && route.session === 'continues' ? { refresh_token: cookie.read(ctx) } : {}
  return { ...given, ...headersOf(ctx, route), ...kept }
}

/** Serves all pages of a list as one file. */
async function serveExport(
  ctx: ControlContext,
  options: { graph: Graph; compiled: CompiledRoute; format: ExportFormat; exports: Exports },
): Promise<void> {
  const { graph, compiled, format, exports } = options
  const { call } = ctx.state
  requireCaller(call)
  const query = new URLSearchParams(ctx.querystring)
  const read = readVariables(compiled.variables, { path: {}, query, body: undefined })
  const texts = exportPages({
    format,
    fields: compiled.itemFields,
    readPage: slice => runRoute(graph, { compiled, call, variables: { ...read, ...slice } }),
  })
  const name = `${compiled.route.path.split('/').at(-1)}.${format}`
  await exports.send(ctx, texts, { type: exportTypes[format], name })
}

/** Returns the headers that the route reads as fields of the body. */
function headersOf(ctx: ControlContext, { headers = {} }: Route): Record<string, string> {
  const present = Object.entries(headers).filter(([header]) => ctx.get(header) !== '')
  return Object.fromEntries(present.map(([header, field]) => [field, ctx.get(header)]))
}

function without(body: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
}

/** Throws `method_not_allowed` if the path has other methods, otherwise `not_found`. */
function refuse(router: Router<ControlState>, ctx: ControlContext): never {
  const methods = router.match(ctx.path, ctx.method).path.flatMap(layer => layer.methods)
  if (methods.length === 0) throw new Problem('not_found')
  ctx.set('allow', [...new Set(methods)].join(', '))
  throw new Problem('method_not_allowed')
}
