import type { ServerResponse } from 'node:http'
import type { Next } from 'koa'
import { listPublicKeys } from '../../domain/accounts/signing-keys.ts'
import { parseJson } from '../../platform/http/parse-json.ts'
import { Problem } from '../../schema/errors.ts'
import type { SubgraphServices } from '../../subgraphs/runtime/services.ts'
import { type Graph, graphPath } from '../graph/open-graph.ts'
import type { TrustedDocuments } from '../graph/trusted-documents.ts'
import { type ControlContext, maxBodyValues, readJsonObject } from './control-context.ts'

/** The accepted types of bodies. Browsers send forms and plain text to other origins without a CORS preflight. */
const jsonTypes = ['application/json', 'application/graphql+json']

/** Serves the graph over HTTP and SSE. `streams` contains the open event streams. */
export function mountGraph(
  graph: Graph,
  { trusted, streams }: { trusted: TrustedDocuments; streams: Set<ServerResponse> },
) {
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    if (ctx.path !== graphPath) return next()
    const body = await readOperation(ctx, trusted)
    ctx.respond = false
    if (ctx.get('accept').includes('text/event-stream')) {
      streams.add(ctx.res)
      ctx.res.once('close', () => streams.delete(ctx.res))
    }
    const { call } = ctx.state
    const { authorization = [] } = ctx.req.headersDistinct
    await graph(Object.assign(ctx.req, { body }), ctx.res, { call, authorization })
  }
}

/**
 * Returns the parsed body of a POST. The runtime accepts a parsed object unchanged; it would parse text itself without
 * these limits. A GET has no body; the JSON in its parameters is checked against the same limits.
 */
async function readOperation(ctx: ControlContext, trusted: TrustedDocuments): Promise<object | undefined> {
  if (ctx.method === 'GET') return checkParameters(ctx, trusted)
  if (ctx.method !== 'POST') {
    ctx.set('allow', 'GET, POST')
    throw new Problem('method_not_allowed')
  }
  const body = await readJsonObject(ctx, jsonTypes)
  const { operationName, documentId } = body
  if (typeof operationName === 'string') ctx.state.line.operation = operationName.slice(0, 100)
  if (documentId !== undefined) return { ...body, documentId: undefined, query: trusted.textOf(documentId) }
  return { query: undefined, ...body } // With an empty object, the runtime would read from the connection.
}

/** Throws BodyRefused if `variables` or `extensions` are invalid JSON or exceed the limits of a body. */
function checkParameters(ctx: ControlContext, trusted: TrustedDocuments): undefined {
  const parameters = new URLSearchParams(ctx.querystring)
  const documentId = parameters.get('documentId')
  if (documentId !== null) {
    parameters.set('query', trusted.textOf(documentId))
    parameters.delete('documentId')
    ctx.req.url = `${graphPath}?${parameters}`
  }
  for (const name of ['variables', 'extensions']) {
    const text = parameters.get(name)
    if (text) parseJson(Buffer.from(text), maxBodyValues)
  }
}

/** Serves the public keys of session tokens as a JWKS document. */
export function mountJwks(services: SubgraphServices) {
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    if (ctx.path !== '/.well-known/jwks.json') return next()
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw new Problem('method_not_allowed')
    ctx.set('cache-control', 'public, max-age=60')
    ctx.body = await listPublicKeys(services.context)
  }
}
