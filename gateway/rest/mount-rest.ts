import Router from '@koa/router'
import type { ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql'
import type Koa from 'koa'
import { isRecord } from '../../platform/checks.ts'
import { type ErrorName, errorCatalogue, Problem } from '../../schema/errors.ts'
import { type Call, requireCaller, requireSession } from '../../subgraphs/runtime/call.ts'
import type { Graph } from '../graph/open-graph.ts'
import { type ControlContext, type ControlState, readJsonObject } from '../http/control-context.ts'
import { type CompiledRoute, compileRoute, snakeCase } from './compile-route.ts'
import { readVariables } from './read-variables.ts'
import type { Route } from './routes/route.ts'

const prefix = '/api/v1'

/** Serves the rows of the REST face. Throws when one does not fit the graph. */
export function mountRest(
  app: Koa<ControlState>,
  { graph, schema, routes }: { graph: Graph; schema: GraphQLSchema; routes: readonly Route[] },
): void {
  const router = new Router<ControlState>({ prefix })
  for (const route of routes) {
    const compiled = compileRoute(schema, route)
    const path = route.path.replace(/\{(\w+)\}/g, ':$1')
    router.register(path, [route.method], ctx => serve(graph, compiled, ctx, ctx.params))
  }
  app.use(router.routes())
  app.use(ctx => refuse(router, ctx))
}

/** Authenticate, read, act, present. */
async function serve(
  graph: Graph,
  compiled: CompiledRoute,
  ctx: ControlContext,
  path: Record<string, string>,
): Promise<void> {
  const { route, variables } = compiled
  const { call } = ctx.state
  if (route.credential === 'session') requireSession(call)
  else if (route.credential !== 'none') requireCaller(call)
  const takesBody = variables.some(({ name }) => name === 'input')
  const body = takesBody ? without(await readJsonObject(ctx), route.ignores ?? []) : undefined
  const query = new URLSearchParams(ctx.querystring)
  const answer = await runRoute(graph, {
    compiled,
    call,
    variables: readVariables(variables, { path, query, body }),
  })
  ctx.status = route.status ?? 200
  if (route.status !== 204) ctx.body = answer
}

function without(body: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
}

/** Nothing served the address: it is unknown, or takes other methods. */
function refuse(router: Router<ControlState>, ctx: ControlContext): never {
  const methods = router.match(ctx.path, ctx.method).path.flatMap(layer => layer.methods)
  if (methods.length === 0) throw new Problem('not_found')
  ctx.set('allow', [...new Set(methods)].join(', '))
  throw new Problem('method_not_allowed')
}

/**
 * Runs a row's document through the graph; answers what the row presents. Throws the problem of the first
 * error.
 */
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
  if (error) throw problemOf(error)
  const answer = compiled.answer.reduce<unknown>(fieldOf, result.data)
  const { omitNulls } = compiled.route
  return omitNulls ? withoutNulls(answer, omitNulls) : answer
}

/** The problem that a GraphQL error presents, with its parameter named as REST names it. */
function problemOf(error: GraphQLError): Problem {
  const { problem, param, retryAfterSeconds } = error.extensions
  if (!isErrorName(problem)) return new Problem('internal', { cause: error })
  const named = typeof param === 'string' ? param : undefined
  return new Problem(problem, {
    param: named && snakeCase(named),
    message: named ? error.message.replaceAll(named, snakeCase(named)) : error.message,
    retryAfterSeconds: typeof retryAfterSeconds === 'number' ? retryAfterSeconds : undefined,
  })
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
