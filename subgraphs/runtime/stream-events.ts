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

/** A comment is sent this often, in milliseconds, so that a connection that is gone is noticed. */
const beatEveryMs = 12_000

/**
 * Middleware that answers subscriptions as server-sent events, one for each result: Apollo Server, which answers
 * the rest, has none. Only a gateway asks for them, in documents of its own. `streams` holds the answers that run.
 *
 * An event that has a `revision` carries it as its id; a gateway that comes again with `Last-Event-ID` goes on there.
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

/** The request in a body that was parsed before; undefined where it is none. */
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

/** As a line of the event; empty where it has none. */
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
  return Symbol.asyncIterator in result ? result : only(result)
}

async function* only(result: ExecutionResult): AsyncIterable<ExecutionResult> {
  yield result
}

/**
 * Writes results as they come, no faster than they are read; ends their source when the reader is gone. Where the
 * source fails the connection is cut: the gateway subscribes again. `nextId` is asked once a result.
 */
async function write(
  response: ServerResponse,
  results: AsyncIterable<ExecutionResult>,
  nextId: () => string,
): Promise<void> {
  const source = results[Symbol.asyncIterator]()
  const gone = new AbortController()
  response.once('close', () => {
    gone.abort()
    void source.return?.()
  })
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.flushHeaders()
  const beat = setInterval(() => response.write(':\n\n'), beatEveryMs)
  try {
    for (;;) {
      const { done, value } = await source.next()
      if (done || gone.signal.aborted) break
      const isTaken = response.write(`event: next\n${nextId()}data: ${JSON.stringify(value)}\n\n`)
      if (!isTaken) await once(response, 'drain', { signal: gone.signal }).catch(() => undefined)
    }
    if (!response.destroyed) response.end('event: complete\ndata:\n\n')
  } catch {
    response.destroy()
  } finally {
    clearInterval(beat)
  }
}
