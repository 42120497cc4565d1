import Router from '@koa/router'
import type { ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql'
import type Koa from 'koa'
import type { Allowances } from '../../domain/allowances/allowances.ts'
import { Occupancy } from '../../domain/allowances/occupancy.ts'
import { standingOf } from '../../domain/allowances/standing.ts'
import { isRecord } from '../../platform/checks.ts'
import type { Log } from '../../platform/log.ts'
import { errorCatalogue } from '../../schema/error-catalogue.ts'
import { type ErrorName, Problem } from '../../schema/errors.ts'
import { type Call, requireCaller, requireManager, requireSession } from '../../subgraphs/runtime/call.ts'
import { requirePermission } from '../../subgraphs/runtime/guard-fields.ts'
import type { TokenWatch } from '../graph/bound-subscriptions.ts'
import type { Graph } from '../graph/open-graph.ts'
import { type ControlContext, type ControlState, readJsonObject } from '../http/control-context.ts'
import { type CompiledRoute, compileRoute, snakeCase } from './compile-route.ts'
import { type ExportFormat, exportFormats, exportPages, exportTypes } from './export-pages.ts'
import { presentPage, readPage, sliceOfPage } from './read-page.ts'
import { readVariables, restWords } from './read-variables.ts'
import type { Route } from './routes/route.ts'

const prefix = '/api/v1'

/** Serves the routes of the REST API. Throws if a route does not match the graph. */
export function mountRest(
  app: Koa<ControlState>,
  options: {
    graph: Graph
    schema: GraphQLSchema
    routes: readonly Route[]
    tokens: TokenWatch
    allowances: Allowances
    log: Log
    stalledReaderMs: number
  },
): void {
  const { graph, schema, routes } = options
  const router = new Router<ControlState>({ prefix })
  const { allowances } = options
  const exporting = new Occupancy(allowances, { resource: 'exports', capacity: maxExports })
  for (const route of routes) {
    const compiled = compileRoute(schema, route)
    const path = route.path.replace(/\{(\w+)\}/g, ':$1')
    router.register(path, [route.method], ctx => serve(graph, compiled, ctx, ctx.params))
    if (!route.isExported) continue
    for (const format of exportFormats)
      router.register(`${path}.${format}`, [route.method], ctx =>
        serveExport(ctx, { ...options, compiled, format, exporting }),
      )
  }
  app.use(router.routes())
  app.use(ctx => refuse(router, ctx))
}

/** Authenticates the caller, reads the request, runs the document and presents the result. */
async function serve(
  graph: Graph,
  compiled: CompiledRoute,
  ctx: ControlContext,
  path: Record<string, string>,
): Promise<void> {
  const { route, variables } = compiled
  const { call } = ctx.state
  requireCallerOf[route.caller ?? 'any'](call)
  const body = await readBody(ctx, compiled)
  const query = new URLSearchParams(ctx.querystring)
  const page = route.page && readPage(query)
  const read = readVariables(variables, { path, query, body })
  const answer = await runRoute(graph, {
    compiled,
    call,
    variables: page ? { ...read, ...sliceOfPage(page) } : read,
  })
  ctx.status = route.status ?? 200
  if (route.status !== 204) ctx.body = page ? presentPage(answer, page, route.page ?? []) : answer
}

/** Checks that a route accepts the caller. */
const requireCallerOf: Record<NonNullable<Route['caller']> | 'any', (call: Call) => unknown> = {
  any: requireCaller,
  manager: requireManager,
  session: requireSession,
  keys: call => requirePermission(call, 'Query.apiKeys'),
  members: call => requirePermission(call, 'Query.members'),
  none: () => {},
}

/** Reads the body with the fields that headers set, or returns `undefined` if the route has no body. */
async function readBody(
  ctx: ControlContext,
  { route, takesBody }: CompiledRoute,
): Promise<Record<string, unknown> | undefined> {
  if (takesBody === 'none') return undefined
  const isLeftOut = takesBody === 'optional' && !ctx.request.length && ctx.get('transfer-encoding') === ''
  const given = isLeftOut ? {} : without(await readJsonObject(ctx), route.ignores ?? [])
  return { ...given, ...headersOf(ctx, route) }
}

/** Maximum number of concurrent exports of a process. */
const maxExports = 64

/**
 * Serves all pages of a list as one file. The connection is cut if the token becomes invalid. Throws
 * `allowance_exceeded` if the account has too many exports running.
 */
async function serveExport(
  ctx: ControlContext,
  options: {
    graph: Graph
    compiled: CompiledRoute
    format: ExportFormat
    exporting: Occupancy
    allowances: Allowances
    tokens: TokenWatch
    log: Log
    stalledReaderMs: number
  },
): Promise<void> {
  const { graph, compiled, format } = options
  const { call } = ctx.state
  const { accountId } = requireCaller(call)
  const read = readVariables(compiled.variables, {
    path: {},
    query: new URLSearchParams(ctx.querystring),
    body: undefined,
  })
  const standing = await standingOf(options.allowances, accountId)
  if (ctx.res.destroyed) return // 'close' was already emitted
  options.exporting.occupy(standing, 1)
  ctx.res.once('close', () => options.exporting.release(standing, 1))
  const stream = await exportPages({
    ...options,
    fields: compiled.itemFields,
    readPage: slice => runRoute(graph, { compiled, call, variables: { ...read, ...slice } }),
  })
  const { authorization = [] } = ctx.req.headersDistinct
  const stopWatching = options.tokens.watch({ ...call, authorization }, problem => stream.destroy(problem))
  stream.once('close', stopWatching)
  ctx.body = stream
  ctx.type = exportTypes[format]
  ctx.attachment(`${compiled.route.path.split('/').at(-1)}.${format}`)
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

/** Runs a route's document and returns the presented response. Throws the problem of the first error. */
async function runRoute(
  graph: Graph,
  { compiled, call, variables }: { compiled: CompiledRoute; call: Call; variables: Record<string, unknown> },
): Promise<unknown> {
  const { execute, contextFactory, schema } = graph.getEnveloped({ call })
  const result: ExecutionResult = await execute({
    schema,
    document: compiled.document,
    variableValues: variables,
    contextValue: await contextFactory(),
  })
  const [error] = result.errors ?? []
  if (error) throw problemOf(error, compiled)
  const answer = compiled.answer.reduce<unknown>(fieldOf, compiled.present(result.data))
  const { omitNulls, pick } = compiled.route
  const picked = pick ? Object.fromEntries(pick.map(path => pickField(answer, path))) : answer
  return omitNulls ? withoutNulls(picked, omitNulls) : picked
}

function pickField(answer: unknown, path: string): [string, unknown] {
  const names = path.split('.')
  return [names.at(-1) ?? path, names.reduce<unknown>(fieldOf, answer)]
}

/** Converts a GraphQL error to a problem with REST names. */
function problemOf(error: GraphQLError, compiled: CompiledRoute): Problem {
  const { problem, param, retryAfterSeconds } = error.extensions
  if (!isErrorName(problem)) return new Problem('internal', { cause: error })
  const named = typeof param === 'string' ? param : undefined
  const message = restWords(error.message, compiled.variables)
  const shown = named && restName(named, compiled)
  return new Problem(problem, {
    param: shown,
    message: named && shown ? message.replaceAll(named, shown) : message,
    retryAfterSeconds: typeof retryAfterSeconds === 'number' ? retryAfterSeconds : undefined,
  })
}

/** Returns the REST name of an argument of a route's document: `filter.search` is `search`. */
function restName(param: string, { params, route }: CompiledRoute): string {
  const [path = param, place = ''] = /^([\w.]+)(.*)$/s.exec(param)?.slice(1) ?? []
  const name = snakeCase(params.get(path) ?? path)
  return route.wholeLists?.includes(name) ? name : name + snakeCase(place)
}

function isErrorName(name: unknown): name is ErrorName {
  return typeof name === 'string' && Object.hasOwn(errorCatalogue, name)
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined
}

function withoutNulls(value: unknown, names: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map(item => withoutNulls(item, names))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).filter(([name, item]) => item !== null || !names.includes(name)),
  )
}
