import { answerTimeoutMs } from '../../domain/ledger/ledger.ts'
import { openRecord } from '../../domain/ledger/request-record.ts'
import type { Span, Tracing } from '../../platform/tracing/tracing.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { operationOf } from '../metrics/operations.ts'
import { routeNameOf } from '../routes.ts'

/** Opens the state and the record of a request, and prevents caching of its response. */
export function beginRequest({ inference }: Edge, ctx: EdgeContext): void {
  const { ids, clock, tracing } = inference.context
  const requestId = ids.tagged('req_')
  ctx.state = {
    record: openRecord({ requestId, startedAt: clock.now(), begunAt: clock.monotonic() }),
    key: undefined,
    hmacs: [],
    memberId: undefined,
    patience: { leftMs: answerTimeoutMs },
    share: undefined,
    isCounted: false,
    allowed: undefined,
    problem: undefined,
    isReplayed: false,
    span: tracing && beginTrace(tracing, ctx, requestId),
  }
  const { res } = ctx // Koa's own way to set a header costs more than the header
  res.setHeader('x-request-id', requestId)
  res.setHeader('cache-control', 'no-store')
}

function beginTrace(tracing: Tracing, ctx: EdgeContext, requestId: string): Span {
  const { traceparent } = ctx.req.headersDistinct
  return tracing.start(`${ctx.method} ${routeNameOf(ctx.path)}`, {
    linksTo: traceparent?.[0],
    attributes: { 'rubicon.request_id': requestId, 'http.request.method': ctx.method },
  })
}

/** Counts a request that has ended, and writes one wide log line about it. */
export function logRequest({ lines, inference, requestMetrics }: Edge, ctx: EdgeContext): void {
  const now = inference.context.clock.monotonic()
  const { record, problem } = ctx.state
  requestMetrics.observe({
    record,
    route: record.route || routeNameOf(ctx.path),
    status: statusOf(ctx),
    problem,
    durationMs: now - record.begunAt,
  })
  lines?.write(lineOf(ctx, now))
  if (ctx.state.span) endTrace(ctx.state.span, ctx)
}

function endTrace(span: Span, ctx: EdgeContext): void {
  const { record, problem } = ctx.state
  span.end({
    error: problem?.errorName,
    attributes: {
      'http.response.status_code': statusOf(ctx),
      'gen_ai.operation.name': operationOf(record.route),
      'gen_ai.request.model': record.model ?? undefined,
      'gen_ai.provider.name': record.vendor ?? undefined,
      'gen_ai.usage.input_tokens': record.usage.promptTokens,
      'gen_ai.usage.output_tokens': record.usage.completionTokens,
    },
  })
}

function statusOf({ state: { problem, record }, status }: EdgeContext): number {
  return problem?.status ?? (record.status || status)
}

/** Returns the fields of a log line. Undefined fields are left out. */
function lineOf(ctx: EdgeContext, now: number): Record<string, unknown> {
  const { record, key, problem, isReplayed } = ctx.state
  const isSettled = record.transactionId !== ''
  return {
    requestId: record.requestId,
    method: ctx.method,
    path: withoutName(ctx.path),
    status: statusOf(ctx),
    durationMs: Math.round(now - record.begunAt),
    error: problem?.code,
    internal: problem?.details.internal,
    accountId: key?.accountId,
    publicId: key?.publicId,
    clientAddress: record.clientAddress ?? undefined,
    model: record.model ?? undefined,
    streamed: record.model === null ? undefined : record.streamed,
    costNanos: isSettled ? record.costNanos.toString() : undefined,
    promptTokens: isSettled ? record.usage.promptTokens : undefined,
    completionTokens: isSettled ? record.usage.completionTokens : undefined,
    replayed: isReplayed || undefined,
  }
}

/**
 * Shortens the name of a stored file to its first characters, because anyone who knows the whole name can read the
 * file.
 */
function withoutName(path: string): string {
  if (!path.includes('.')) return path
  return path.replace(/([0-9A-Za-z]{4})[0-9A-Za-z]{18}(?=\.[a-z0-9]{2,4}$)/, '$1…')
}
