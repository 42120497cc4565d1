import type { Next } from 'koa'
import { answerUnread } from '../../platform/http/answer-unread.ts'
import { parseJson } from '../../platform/http/parse-json.ts'
import { readBody } from '../../platform/http/read-body.ts'
import { Problem } from '../../schema/errors.ts'
import { nameProblem } from '../../subgraphs/frame/execution/name-problem.ts'
import { presented } from '../../subgraphs/frame/execution/present-graph-error.ts'
import { type Graph, graphPath } from '../graph/open-graph.ts'
import type { ControlContext } from './control-state.ts'
import { maxBodyBytes } from './max-body-bytes.ts'

/** Bodies of other types reach a server from any web page without asking first. */
const jsonTypes = ['application/json', 'application/graphql+json']

/** Serves the graph over HTTP and SSE. Its errors have the shape of GraphQL, also those before it is asked. */
export function mountGraph(graph: Graph) {
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    if (ctx.path !== graphPath) return next()
    try {
      const body = await checkedBody(ctx)
      ctx.respond = false
      const { call } = ctx.state
      await graph(Object.assign(ctx.req, { body }), ctx.res, { call })
    } catch (error) {
      answer(ctx, nameProblem(error))
    }
  }
}

/** What a POST carries, whole. A GET carries nothing. */
async function checkedBody(ctx: ControlContext): Promise<string | undefined> {
  if (ctx.method === 'GET') return undefined
  if (ctx.method !== 'POST') {
    ctx.set('allow', 'GET, POST')
    throw new Problem('method_not_allowed')
  }
  if (!ctx.is(jsonTypes)) throw new Problem('unsupported_media_type')
  const body = await readBody(ctx.req, maxBodyBytes)
  ctx.state.line.operation = operationOf(parseJson(body)) // the runtime reads it again, without these bounds
  return body.toString()
}

function answer(ctx: ControlContext, problem: Problem): void {
  ctx.state.problem = problem
  if (ctx.headerSent) return
  ctx.respond = true
  ctx.status = problem.status
  const body = { errors: [presented(problem)] }
  if (problem.errorName === 'body_too_large') answerUnread(ctx, body)
  else ctx.body = body
}

/** What the client calls the operation, for the log line. */
function operationOf(body: unknown): string | undefined {
  const named = typeof body === 'object' && body !== null && 'operationName' in body
  return named && typeof body.operationName === 'string' ? body.operationName.slice(0, 100) : undefined
}
