import type { Next } from 'koa'
import type { ClientAddress } from '../../platform/http/addresses.ts'
import type { Ids } from '../../platform/ids.ts'
import type { LogLines } from '../../platform/log.ts'
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
}: {
  /** `undefined` if the log level excludes request lines. */
  lines: LogLines | undefined
  ids: Ids
  addressOf: ClientAddress
}) {
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    const startedAt = performance.now()
    const given = ctx.get('x-request-id')
    const requestId = requestIdShape.test(given) ? given : ids.tagged('req_')
    ctx.state.call = { requestId, address: addressOf(ctx.req) }
    ctx.state.line = {}
    ctx.set('x-request-id', requestId)
    ctx.set('cache-control', 'no-store')
    ctx.res.once('close', () => {
      const { call, problem, line } = ctx.state
      lines?.write({
        requestId,
        method: ctx.method,
        path: ctx.path,
        status: ctx.res.statusCode,
        durationMs: Math.round(performance.now() - startedAt),
        address: call.address,
        accountId: call.caller?.accountId,
        caller: call.operator ? 'operator' : call.caller?.kind,
        operator: call.operator?.name,
        error: problem?.code,
        internal: problem?.details.internal,
        ...line,
      })
    })
    await next()
  }
}
