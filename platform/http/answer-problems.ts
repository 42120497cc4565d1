import type { Context } from 'koa'
import type { Log } from '../log.ts'
import { answerJson } from './answer-unread.ts'

/** An error that can be sent to the client. */
interface HttpProblem {
  status: number
  message: string
  details: { cause?: unknown; retryAfterSeconds?: number | undefined }
}

/** A request's context, in which the problem is stored for the log line. */
type ProblemContext<Problem> = Pick<Context, 'req' | 'res' | 'respond' | 'headerSent'> & {
  state: { problem?: Problem | undefined }
}

/**
 * Returns a function that responds with JSON to any error of a handler. `problemFrom` gives the error a status and a public
 * message; `present` gives it the shape that the client expects, and may set headers. Internal errors are logged with
 * their cause. A request whose body is still arriving receives the response at once, and its connection is closed.
 */
export function openProblemAnswer<
  Problem extends HttpProblem,
  RequestContext extends ProblemContext<Problem>,
>(options: {
  log: Log
  problemFrom(error: unknown): Problem
  isOurFault(problem: Problem): boolean
  present(ctx: RequestContext, problem: Problem): { status: number; body: object }
}): (ctx: RequestContext, error: unknown) => void {
  const { log, problemFrom, isOurFault, present } = options
  return (ctx, error) => {
    const problem = problemFrom(error)
    const { cause, retryAfterSeconds } = problem.details
    ctx.state.problem = problem
    if (isOurFault(problem))
      log.error({ err: cause ?? error, requestId: ctx.res.getHeader('x-request-id') }, problem.message)
    if (ctx.headerSent) return
    if (retryAfterSeconds !== undefined) ctx.res.setHeader('retry-after', Math.ceil(retryAfterSeconds))
    answerJson(ctx, present(ctx, problem))
  }
}
