import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type ExecutionResult, parse, specifiedRules, validate } from 'graphql'
import type { Next, ParameterizedContext } from 'koa'
import { isRecord } from '../../platform/checks.ts'
import type { BuiltSubgraph } from './build-subgraph.ts'
import { namesRule } from './check-names.ts'
import { type Execution, executeInProcess, type SubgraphRequest } from './execute-in-process.ts'
import type { SignedState } from './open-signed-body.ts'
import { presentGraphError } from './present-error.ts'
import type { SubgraphServices } from './services.ts'

/** Interval at which a comment is sent, in milliseconds, so that a broken connection is noticed. */
const heartbeatIntervalMs = 12_000

/**
 * Returns middleware that answers subscriptions as server-sent events, one for each result. Apollo Server, which
 * answers other requests, does not support them. Only gateways send these requests, with their own documents. `streams`
 * contains the open responses.
 *
 * An event with a `revision` carries it as its ID. A gateway that reconnects with `Last-Event-ID` continues after it.
 */
export function streamEvents(
  services: SubgraphServices,
  { subgraph, streams }: { subgraph: BuiltSubgraph; streams: Set<ServerResponse> },
) {
  return async (ctx: ParameterizedContext<SignedState>, next: Next): Promise<void> => {
    const request = ctx.get('accept') === 'text/event-stream' ? readRequest(ctx.request) : undefined
    if (!request) return next()
    const call = { ...ctx.state.call, resumeAfter: readRevision(ctx.get('last-event-id')) }
    const ids: string[] = []
    const onEvent = (event: unknown) => ids.push(idOf(event))
    const results = await execute(services, { subgraph, call, request, onEvent })
    ctx.respond = false
    streams.add(ctx.res)
    await write(ctx.res, results, () => ids.shift() ?? '')
    streams.delete(ctx.res)
  }
}

/** Returns the request in a parsed body, or `undefined` if it is not a GraphQL request. */
function readRequest(request: object): SubgraphRequest | undefined {
  const body = 'body' in request && isRecord(request.body) ? request.body : {}
  const { query, variables, operationName } = body
  if (typeof query !== 'string') return undefined
  return {
    document: parse(query),
    variables: isRecord(variables) ? variables : undefined,
    operationName: typeof operationName === 'string' ? operationName : undefined,
  }
}

function readRevision(id: string): bigint | undefined {
  return /^\d{1,18}$/.test(id) ? BigInt(id) : undefined
}

/** Returns the ID line of an event, or an empty string if the event has no revision. */
function idOf(event: unknown): string {
  return isRecord(event) && typeof event.revision === 'bigint' ? `id: ${event.revision}\n` : ''
}

async function execute(
  services: SubgraphServices,
  execution: Execution,
): Promise<AsyncIterable<ExecutionResult>> {
  const { schema } = execution.subgraph
  const faults = validate(schema, execution.request.document, [...specifiedRules, namesRule])
  const result =
    faults.length === 0
      ? await executeInProcess(services, execution)
      : { errors: faults.map(fault => presentGraphError(fault, services.context.log)) }
  return Symbol.asyncIterator in result ? result : singleResult(result)
}

async function* singleResult(result: ExecutionResult): AsyncIterable<ExecutionResult> {
  yield result
}

/**
 * Writes results no faster than the client reads them, and ends their source when the client disconnects. If the source
 * fails, the connection is cut, so that the gateway subscribes again. `nextId` is called once for each result.
 */
async function write(
  response: ServerResponse,
  results: AsyncIterable<ExecutionResult>,
  nextId: () => string,
): Promise<void> {
  const source = results[Symbol.asyncIterator]()
  const disconnected = new AbortController()
  response.once('close', () => {
    disconnected.abort()
    void source.return?.()
  })
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.flushHeaders()
  const heartbeat = setInterval(() => response.write(':\n\n'), heartbeatIntervalMs)
  try {
    for (;;) {
      const { done, value } = await source.next()
      if (done || disconnected.signal.aborted) break
      const canContinue = response.write(`event: next\n${nextId()}data: ${JSON.stringify(value)}\n\n`)
      if (!canContinue) await once(response, 'drain', { signal: disconnected.signal }).catch(() => undefined)
    }
    if (!response.destroyed) response.end('event: complete\ndata:\n\n')
  } catch {
    response.destroy()
  } finally {
    clearInterval(heartbeat)
  }
}
