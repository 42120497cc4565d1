import type { Next } from 'koa'
import type { ForeignKeys } from '../../domain/accounts/sessions/foreign-keys.ts'
import { authenticateCaller } from '../../domain/callers/authenticate-caller.ts'
import { Problem } from '../../schema/errors.ts'
import type { Call } from '../../subgraphs/frame/call.ts'
import { type House, openSubgraphContext } from '../../subgraphs/frame/subgraph-context.ts'
import type { ControlContext } from './control-state.ts'

/** Finds out who calls, once. A credential that is refused is kept as the reason, for whoever needs a caller. */
export function identifyCaller(house: House, foreignKeys: ForeignKeys | undefined) {
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    const authorization = ctx.req.headersDistinct.authorization ?? []
    ctx.state.call = await callWithCaller(house, { call: ctx.state.call, authorization, foreignKeys })
    await next()
  }
}

/** The call with its caller, or with why the credential was refused. */
export async function callWithCaller(
  house: House,
  args: { call: Call; authorization: readonly string[]; foreignKeys: ForeignKeys | undefined },
): Promise<Call> {
  const { call, authorization, foreignKeys } = args
  const context = { ...openSubgraphContext(house, call), foreignKeys }
  try {
    return { ...call, caller: await authenticateCaller(context, { authorization, address: call.address }) }
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return { ...call, refusal: error }
    throw error
  }
}
