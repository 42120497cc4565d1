import { answerTimeoutMs } from '../../domain/ledger/ledger.ts'
import { openRecord } from '../../domain/ledger/request-record.ts'
import type { Edge, EdgeContext } from '../edge.ts'

/** Opens the state and the record of a request, and prevents caching of its response. */
export function beginRequest({ inference }: Edge, ctx: EdgeContext): void {
  const { ids, clock } = inference.context
  const requestId = ids.tagged('req_')
  ctx.state = {
    record: openRecord({ requestId, startedAt: clock.now(), begunAt: clock.monotonic() }),
    key: undefined,
    hmacs: [],
    patience: { leftMs: answerTimeoutMs },
    share: undefined,
    isCounted: false,
    allowed: undefined,
    problem: undefined,
    isReplayed: false,
  }
  const { res } = ctx // Koa's own way to set a header costs more than the header
  res.setHeader('x-request-id', requestId)
  res.setHeader('cache-control', 'no-store')
}

/** Writes one wide log line about a request that has ended. */
export function logRequest({ lines, inference }: Edge, ctx: EdgeContext): void {
  lines?.write(lineOf(ctx, inference.context.clock.monotonic()))
}

/** Returns the fields of a log line. Undefined fields are left out. */
function lineOf(ctx: EdgeContext, now: number): Record<string, unknown> {
  const { record, key, problem, isReplayed } = ctx.state
  const isSettled = record.transactionId !== ''
  return {
    requestId: record.requestId,
    method: ctx.method,
    path: withoutName(ctx.path),
    status: problem?.status ?? (record.status || ctx.status),
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
