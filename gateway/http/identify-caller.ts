import { hash } from 'node:crypto'
import type { Next } from 'koa'
import { LRUCache } from 'lru-cache'
import { trySpend, usedUp } from '../../domain/allowances/spend.ts'
import { standingOf } from '../../domain/allowances/standing.ts'
import { type AuthenticationContext, authenticateCaller } from '../../domain/callers/authenticate-caller.ts'
import { readBearer } from '../../domain/callers/caller.ts'
import { type Authentication, openAuthentication } from '../../domain/callers/open-authentication.ts'
import { findOperator, isOperatorKey, type Operator } from '../../domain/callers/operators.ts'
import { Problem } from '../../schema/errors.ts'
import type { Call } from '../../subgraphs/runtime/call.ts'
import type { SubgraphServices } from '../../subgraphs/runtime/services.ts'
import type { ControlContext } from './control-context.ts'

/** The context for identifying callers: services, trusted keys, verified tokens and limits of calls. */
export interface Callers extends Authentication {
  services: SubgraphServices
  /** Refusals of accounts that have used up `management_calls`, by hash of the token. */
  exceeded: LRUCache<string, Problem>
}

/** How long a refusal is repeated without authenticating the token, in milliseconds. */
const exceededTtlMs = 1_000
const maxExceeded = 10_000

/** Opens a process's context for identifying callers. */
export function openCallers(services: SubgraphServices): Callers {
  return {
    services,
    ...openAuthentication(services.context),
    exceeded: new LRUCache({ max: maxExceeded, ttl: exceededTtlMs }),
  }
}

/**
 * Returns middleware that authenticates the caller of each request. If the token is refused, handlers that need a
 * caller throw the reason.
 */
export function identifyCaller(callers: Callers) {
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    const authorization = ctx.req.headersDistinct.authorization ?? []
    ctx.state.call = await callWithCaller(callers, { call: ctx.state.call, authorization })
    await next()
  }
}

/**
 * Adds the caller to a call, or the reason for refusing the token. Counts the call. Throws `rate_limit_exceeded`
 * if the address has made too many calls, and `allowance_exceeded` if the account has.
 */
export async function callWithCaller(
  callers: Callers,
  arriving: { call: Call; authorization: readonly string[] },
): Promise<Call> {
  const { address } = arriving.call
  const tokenHash = hash('sha256', arriving.authorization.join('\n'), 'base64url')
  callers.rates.check(address)
  const exceeded = callers.exceeded.get(tokenHash)
  if (exceeded) throw exceeded
  const known = await authenticateCall(callers, arriving)
  await Promise.all([callers.rates.count(address), countForAccount(callers, known, tokenHash)])
  return known
}

async function countForAccount(
  { services, exceeded }: Callers,
  { caller }: Call,
  tokenHash: string,
): Promise<void> {
  if (!caller || caller.kind === 'view') return
  const { allowances } = services.context
  const standing = await standingOf(allowances, caller.accountId)
  if (await trySpend(allowances, standing, { resource: 'management_calls' })) return
  const problem = usedUp(allowances, standing, 'management_calls')
  exceeded.set(tokenHash, problem)
  throw problem
}

/** Adds the caller to a call like `callWithCaller`, without counting the call. */
export function authenticateCall(
  { services, foreignKeys, verified }: Callers,
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

/** Returns the operator if the request's only token is an operator key. */
function operatorOf(
  { config }: AuthenticationContext,
  { address }: Call,
  [header, ...more]: readonly string[],
): Operator | undefined {
  const token = readBearer(header)
  if (token === undefined || more.length > 0 || !isOperatorKey(token)) return undefined
  return findOperator(config, { key: token, address })
}
