import type { Next, ParameterizedContext } from 'koa'
import type { Context } from '../../../domain/context.ts'
import { answerUnread } from '../../../platform/http/answer-unread.ts'
import { readBody } from '../../../platform/http/read-body.ts'
import { Problem, presentProblem } from '../../../schema/errors.ts'
import type { Call } from '../call.ts'
import { openSeenCalls } from './seen-calls.ts'
import { openSignedCall, type SignedCall } from './sign-call.ts'

export interface SignedState {
  call: Call
}

type State = ParameterizedContext<SignedState>

/** What a gateway sends at most, in bytes: the entities of a long list. */
const maxBodyBytes = 16 * 1024 * 1024

/**
 * Refuses with 401 what the gateway did not sign for this subgraph, and what it signed but came before; lets the rest
 * pass with its parsed body and its call.
 */
export function openSignedBody(
  { config, ids, redis }: Pick<Context, 'config' | 'ids' | 'redis'>,
  subgraph: string,
) {
  const seen = openSeenCalls({ redis, prefix: config.redisPrefix })
  return async (ctx: State, next: Next): Promise<void> => {
    const body = await bodyOf(ctx)
    const signed = body === undefined ? undefined : opened(ctx, body)
    const isOurs = signed !== undefined && (await seen.isFirst(signed.once))
    ctx.set('x-request-id', isOurs ? signed.call.requestId : ids.tagged('req_'))
    if (!isOurs || body === undefined) return refuse(ctx)
    ctx.state.call = signed.call
    Object.assign(ctx.request, { body: JSON.parse(body) })
    await next()
  }

  function opened(ctx: State, body: string): SignedCall | undefined {
    return openSignedCall(ctx.headers, { secret: config.subgraphSecret, subgraph, body, now: Date.now() })
  }
}

/** Gateways send theirs by POST; what cannot be read whole was not signed by one. */
async function bodyOf(ctx: State): Promise<string | undefined> {
  if (ctx.method !== 'POST') return undefined
  return readBody(ctx.req, maxBodyBytes).then(
    read => read.toString(),
    () => undefined,
  )
}

function refuse(ctx: State): void {
  const problem = new Problem('unauthenticated')
  ctx.status = problem.status
  answerUnread(ctx, presentProblem(problem))
}
