import type { Next } from 'koa'
import { answerUnread } from '../../platform/http/answer-unread.ts'
import type { Log } from '../../platform/log.ts'
import { type Problem, presentProblem } from '../../schema/errors.ts'
import { presented, problemFrom } from '../../subgraphs/runtime/present-error.ts'
import { graphPath } from '../graph/open-graph.ts'
import type { ControlContext } from './control-state.ts'

/** Answers whatever was thrown in the one agreed shape; what has no name is logged and masked. */
export function answerProblems(log: Log) {
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    try {
      await next()
    } catch (error) {
      const problem = problemFrom(error)
      if (problem.status >= 500) {
        const cause = problem.details.cause ?? error
        const words = cause instanceof Error ? cause.stack : String(cause)
        log.error({ requestId: ctx.state.call.requestId, error: words }, problem.message)
      }
      answerProblem(ctx, problem)
    }
  }
}

/** Answers a problem as REST shows errors; where the graph is served, as GraphQL has errors. */
function answerProblem(ctx: ControlContext, problem: Problem): void {
  ctx.state.problem = problem
  if (ctx.headerSent) return
  ctx.respond = true
  const { retryAfterSeconds } = problem.details
  if (retryAfterSeconds !== undefined) ctx.set('retry-after', String(Math.ceil(retryAfterSeconds)))
  ctx.status = problem.status
  const body = ctx.path === graphPath ? { errors: [presented(problem)] } : presentProblem(problem)
  if (problem.errorName === 'body_too_large') answerUnread(ctx, body)
  else ctx.body = body
}
