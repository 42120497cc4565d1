import type { Context, Next } from 'koa'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { LogLines } from '../../platform/log-lines.ts'

/** Gives the request its id, and writes its one wide line when it is over. */
export function logRequest({ lines, ids, clock }: { lines: LogLines | undefined; ids: Ids; clock: Clock }) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const begun = performance.now()
    ctx.state.startedAt = clock.now()
    ctx.state.requestId = ids.tagged('req_')
    ctx.state.logLine = {}
    ctx.set('x-request-id', ctx.state.requestId)
    await next()
    lines?.tell({
      requestId: ctx.state.requestId,
      method: ctx.method,
      path: ctx.path,
      status: ctx.state.logLine.status ?? ctx.status,
      durationMs: Math.round(performance.now() - begun),
      error: ctx.state.problem?.code,
      internal: ctx.state.problem?.details.internal,
      ...ctx.state.logLine,
    })
  }
}
