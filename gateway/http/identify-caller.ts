import type { Next } from 'koa'
import type { ForeignKeys } from '../../domain/accounts/foreign-tokens.ts'
import type { VerifiedTokens } from '../../domain/accounts/verified-tokens.ts'
import { type AuthenticationContext, authenticateCaller } from '../../domain/callers/authenticate-caller.ts'
import type { CallRates } from '../../domain/callers/call-rates.ts'
import { readBearer } from '../../domain/callers/caller.ts'
import { findOperator, isOperatorKey, type Operator } from '../../domain/callers/operators.ts'
import { Problem } from '../../schema/errors.ts'
import type { Call } from '../../subgraphs/runtime/call.ts'
import type { SubgraphServices } from '../../subgraphs/runtime/services.ts'
import type { ControlContext } from './control-context.ts'

/** What `identifyCaller` needs: services, trusted keys, tokens verified before, and the rates of calls. */
export interface Callers {
  services: SubgraphServices
  foreignKeys: ForeignKeys | undefined
  verified: VerifiedTokens
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
  callers: Callers,
  arriving: { call: Call; authorization: readonly string[] },
): Promise<Call> {
  callers.rates.check(arriving.call.address)
  const known = await authenticateCall(callers, arriving)
  await callers.rates.count(known)
  return known
}

/** The same without counting it. */
export function authenticateCall(
  { services, foreignKeys, verified }: Omit<Callers, 'rates'>,
  { call, authorization }: { call: Call; authorization: readonly string[] },
): Promise<Call> {
  return authenticated({ ...services.context, foreignKeys, verified }, call, authorization)
}

async function authenticated(
  context: AuthenticationContext,
  call: Call,
  authorization: readonly string[],
): Promise<Call> {
  try {
    const operator = operatorOf(context, call, authorization)
    if (operator) return { ...call, operator }
    return { ...call, caller: await authenticateCaller(context, { authorization, address: call.address }) }
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return { ...call, refusal: error }
    throw error
  }
}

/** The operator, where the one credential of the request is an operator's key. */
function operatorOf(
  { config }: AuthenticationContext,
  { address }: Call,
  [header, ...more]: readonly string[],
): Operator | undefined {
  const credential = readBearer(header)
  if (credential === undefined || more.length > 0 || !isOperatorKey(credential)) return undefined
  return findOperator(config, { credential, address })
}
