import type { Next, ParameterizedContext } from 'koa'
import type { Config } from '../../../platform/config/read-config.ts'
import { answerUnread } from '../../../platform/http/answer-unread.ts'
import { readBody } from '../../../platform/http/read-body.ts'
import type { Ids } from '../../../platform/ids.ts'
import { Problem, presentProblem } from '../../../schema/errors.ts'
import type { Call } from '../call.ts'
import { openSignedCall } from './sign-call.ts'

export interface SignedState {
  call: Call
}

/** What a gateway sends at most, in bytes: the entities of a long list. */
const maxBodyBytes = 16 * 1024 * 1024

/** Refuses with 401 what the gateway did not sign; lets the rest pass with its parsed body and its call. */
export function openSignedBody({ subgraphSecret }: Config, ids: Ids) {
  return async (ctx: ParameterizedContext<SignedState>, next: Next): Promise<void> => {
    const body = await readBody(ctx.req, maxBodyBytes).then(
      read => read.toString(),
      () => undefined, // what cannot be read whole was not signed by a gateway
    )
    const call =
      body === undefined
        ? undefined
        : openSignedCall(ctx.headers, { secret: subgraphSecret, body, now: Date.now() })
    ctx.set('x-request-id', call?.requestId ?? ids.tagged('req_'))
    if (!call) {
      const problem = new Problem('unauthenticated')
      ctx.status = problem.status
      return answerUnread(ctx, presentProblem(problem))
    }
    ctx.state.call = call
    Object.assign(ctx.request, { body: body ? JSON.parse(body) : undefined })
    await next()
  }
}
