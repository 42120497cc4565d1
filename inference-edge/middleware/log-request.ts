import type { Context, Next } from 'koa'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { LogLines } from '../../platform/log-lines.ts'

/** Gives the request its id, keeps its answer out of caches, and writes its one wide line when it is over. */
export function logRequest({ lines, ids, clock }: { lines: LogLines | undefined; ids: Ids; clock: Clock }) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const begunAt = clock.monotonic()
    ctx.state.startedAt = clock.now()
    ctx.state.begunAt = begunAt
    ctx.state.requestId = ids.tagged('req_')
    ctx.state.logLine = {}
    ctx.set('x-request-id', ctx.state.requestId)
    ctx.set('cache-control', 'no-store')
    ctx.set('x-content-type-options', 'nosniff')
    await next()
    lines?.tell({
      requestId: ctx.state.requestId,
      method: ctx.method,
      path: ctx.path,
      status: ctx.state.logLine.status ?? ctx.status,
      durationMs: Math.round(clock.monotonic() - begunAt),
      error: ctx.state.problem?.code,
      internal: ctx.state.problem?.details.internal,
      ...ctx.state.logLine,
    })
  }
}
