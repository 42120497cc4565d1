import type { Next } from 'koa'
import type { ForeignKeys } from '../../domain/accounts/foreign-tokens.ts'
import { type AuthenticationContext, authenticateCaller } from '../../domain/callers/authenticate-caller.ts'
import type { CallRates } from '../../domain/callers/call-rates.ts'
import { Problem } from '../../schema/errors.ts'
import type { Call } from '../../subgraphs/runtime/call.ts'
import { openSubgraphContext, type SubgraphServices } from '../../subgraphs/runtime/services.ts'
import type { ControlContext } from './control-context.ts'

/** What `identifyCaller` needs: services, trusted keys, and the rates of calls. */
export interface Callers {
  services: SubgraphServices
  foreignKeys: ForeignKeys | undefined
  rates: CallRates
}

/**
 * Middleware that authenticates the caller, once a request. Handlers that need a caller throw why it was
 * refused.
 */
export function identifyCaller(callers: Callers) {
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    const authorization = ctx.req.headersDistinct.authorization ?? []
    ctx.state.call = await callWithCaller(callers, { call: ctx.state.call, authorization })
    await next()
  }
}

/**
 * Adds the caller to a call, or the reason why the credential was refused. The call counts against the rates
 * of its address and its caller: throws `rate_limit_exceeded`.
 */
export async function callWithCaller(
  { services, foreignKeys, rates }: Callers,
  { call, authorization }: { call: Call; authorization: readonly string[] },
): Promise<Call> {
  rates.check(call.address)
  const known = await authenticated(
    { ...openSubgraphContext(services, call), foreignKeys },
    call,
    authorization,
  )
  await rates.count(known)
  return known
}

async function authenticated(
  context: AuthenticationContext,
  call: Call,
  authorization: readonly string[],
): Promise<Call> {
  try {
    return { ...call, caller: await authenticateCaller(context, { authorization, address: call.address }) }
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return { ...call, refusal: error }
    throw error
  }
}
