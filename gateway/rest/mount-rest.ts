import Router from '@koa/router'
import type { GraphQLSchema } from 'graphql'
import type Koa from 'koa'
import { parseJson } from '../../platform/http/parse-json.ts'
import { readBody } from '../../platform/http/read-body.ts'
import { isRecord } from '../../platform/is-record.ts'
import { Problem } from '../../schema/errors.ts'
import { requireCaller, requireSession } from '../../subgraphs/runtime/call.ts'
import type { Graph } from '../graph/open-graph.ts'
import type { ControlContext, ControlState } from '../http/control-state.ts'
import { maxBodyBytes, maxBodyValues } from '../http/max-body-bytes.ts'
import { type CompiledRoute, compileRoute } from './compile-route.ts'
import { readVariables } from './read-variables.ts'
import type { Route } from './route.ts'
import { runRoute } from './run-route.ts'

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
  const body = takesBody ? without(await readJsonBody(ctx), route.ignores ?? []) : undefined
  const query = new URLSearchParams(ctx.querystring)
  const answer = await runRoute(graph, {
    compiled,
    call,
    variables: readVariables(variables, { path, query, body }),
  })
  ctx.status = route.status ?? 200
  if (route.status !== 204) ctx.body = answer
}

async function readJsonBody(ctx: ControlContext): Promise<Record<string, unknown>> {
  if (!ctx.is('application/json')) throw new Problem('unsupported_media_type')
  const body = parseJson(await readBody(ctx.req, maxBodyBytes), maxBodyValues)
  if (isRecord(body)) return body
  throw new Problem('invalid_request', { message: 'The body must be a JSON object.' })
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
