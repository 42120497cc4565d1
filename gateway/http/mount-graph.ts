import type { Next } from 'koa'
import { parseJson } from '../../platform/http/parse-json.ts'
import { readBody } from '../../platform/http/read-body.ts'
import { isRecord } from '../../platform/is-record.ts'
import { Problem } from '../../schema/errors.ts'
import { type Graph, graphPath } from '../graph/open-graph.ts'
import type { ControlContext } from './control-state.ts'
import { maxBodyBytes, maxBodyValues } from './max-body-bytes.ts'

/** Bodies of other types reach a server from any web page without asking first. */
const jsonTypes = ['application/json', 'application/graphql+json']

/** Serves the graph over HTTP and SSE. */
export function mountGraph(graph: Graph) {
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    if (ctx.path !== graphPath) return next()
    const body = await checkedBody(ctx)
    ctx.respond = false
    const { call } = ctx.state
    await graph(Object.assign(ctx.req, { body }), ctx.res, { call })
  }
}

/**
 * What a POST carries, parsed: the runtime takes an object as it is, and would parse a text again, without our bounds.
 * A GET carries nothing, and its parameters are looked at here.
 */
async function checkedBody(ctx: ControlContext): Promise<object | undefined> {
  if (ctx.method === 'GET') return checkParameters(ctx)
  if (ctx.method !== 'POST') {
    ctx.set('allow', 'GET, POST')
    throw new Problem('method_not_allowed')
  }
  if (!ctx.is(jsonTypes)) throw new Problem('unsupported_media_type')
  const body = parseJson(await readBody(ctx.req, maxBodyBytes), maxBodyValues)
  if (!isRecord(body)) throw new Problem('invalid_request', { message: 'The body must be a JSON object.' })
  const { operationName } = body
  if (typeof operationName === 'string') ctx.state.line.operation = operationName.slice(0, 100)
  return { query: undefined, ...body } // one without names would be read from the connection instead
}

/** Throws for parameters that are JSON, and not such as a body may be. */
function checkParameters(ctx: ControlContext): undefined {
  const parameters = new URLSearchParams(ctx.querystring)
  for (const name of ['variables', 'extensions']) {
    const text = parameters.get(name)
    if (text) parseJson(Buffer.from(text), maxBodyValues)
  }
}
