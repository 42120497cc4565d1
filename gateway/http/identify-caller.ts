import type { Next } from 'koa'
import type { ForeignKeys } from '../../domain/accounts/foreign-tokens.ts'
import { type AuthenticationContext, authenticateCaller } from '../../domain/callers/authenticate-caller.ts'
import type { CallRates } from '../../domain/callers/call-rates.ts'
import { Problem } from '../../schema/errors.ts'
import type { Call } from '../../subgraphs/runtime/call.ts'
import { openSubgraphContext, type SubgraphServices } from '../../subgraphs/runtime/services.ts'
import type { ControlContext } from './control-state.ts'

/** What is needed to find out who calls, and whether too often. */
export interface Callers {
  services: SubgraphServices
  foreignKeys: ForeignKeys | undefined
  rates: CallRates
}

/** Finds out who calls, once. A credential that is refused is kept as the reason, for whoever needs a caller. */
export function identifyCaller(callers: Callers) {
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    const authorization = ctx.req.headersDistinct.authorization ?? []
    ctx.state.call = await callWithCaller(callers, { call: ctx.state.call, authorization })
    await next()
  }
}

/**
 * The call with its caller, or with why the credential was refused. It counts; throws `rate_limit_exceeded` where its
 * address or its caller calls too often.
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
