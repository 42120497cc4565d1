import type { Next } from 'koa'
import type { ClientAddress } from '../../platform/http/addresses.ts'
import type { Ids } from '../../platform/ids.ts'
import type { LogLines } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics/open-metrics.ts'
import type { Tracing } from '../../platform/tracing/tracing.ts'
import { operatorOf } from '../../subgraphs/runtime/call.ts'
import { graphPath } from '../graph/open-graph.ts'
import type { ControlContext } from './control-context.ts'

/** The format of an `x-request-id` that is accepted from a proxy. */
const requestIdShape = /^[\w-]{8,64}$/

/**
 * Returns middleware that sets a request's ID and address, and writes one wide log line when its response is closed.
 */
export function logRequest({
  lines,
  ids,
  addressOf,
  metrics,
  tracing,
}: {
  /** `undefined` if the log level excludes request lines. */
  lines: LogLines | undefined
  ids: Ids
  addressOf: ClientAddress
  metrics: Metrics
  tracing: Tracing | undefined
}) {
  const count = openRequestCounts(metrics)
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    const startedAt = performance.now()
    const given = ctx.get('x-request-id')
    const requestId = requestIdShape.test(given) ? given : ids.tagged('req_')
    ctx.state.call = { requestId, address: addressOf(ctx.req) }
    if (tracing) ctx.state.call.traceparent = ctx.get('traceparent')
    ctx.state.line = {}
    ctx.set('x-request-id', requestId)
    ctx.set('cache-control', 'no-store')
    ctx.res.once('close', () => {
      const { call, problem, line } = ctx.state
      const durationMs = performance.now() - startedAt
      count({ path: ctx.path, status: ctx.res.statusCode, durationMs })
      lines?.write({
        requestId,
        method: ctx.method,
        path: ctx.path,
        status: ctx.res.statusCode,
        durationMs: Math.round(durationMs),
        address: call.address,
        accountId: call.caller?.accountId,
        caller: call.operator ? 'operator' : call.caller?.kind,
        operator: operatorOf(call)?.name,
        error: problem?.code,
        internal: problem?.details.internal,
        ...line,
      })
    })
    await next()
  }
}

/** Declares the metrics of management requests. Returns the function that counts one. */
function openRequestCounts(metrics: Metrics) {
  const requests = metrics.counter({
    name: 'rubicon_management_requests_total',
    help: 'Requests of the control plane by kind (graphql, rest, other) and class of status.',
    labels: ['kind', 'status'],
  })
  const durations = metrics.histogram({
    name: 'rubicon_management_request_seconds',
    help: 'Time from the arrival of a request to the end of its response. Open event streams are long.',
    labels: ['kind'],
    buckets: { first: 0.005, factor: 2, count: 12 },
  })
  return ({ path, status, durationMs }: { path: string; status: number; durationMs: number }) => {
    const kind = path === graphPath ? 'graphql' : path.startsWith('/api/v1/') ? 'rest' : 'other'
    requests.of(kind, `${Math.trunc(status / 100)}xx`).value += 1
    durations.of(kind).observe(durationMs / 1000)
  }
}
