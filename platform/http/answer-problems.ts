import type { Context, Next } from 'koa'
import type { Log } from '../log.ts'
import { answerUnread } from './answer-unread.ts'

/** An error that can be sent to the client. */
interface HttpProblem {
  status: number
  message: string
  details: { cause?: unknown; retryAfterSeconds?: number | undefined }
}

/** A request's context, in which the problem is stored for the log line. */
type ProblemContext<Problem> = Pick<
  Context,
  'req' | 'res' | 'set' | 'type' | 'body' | 'length' | 'status' | 'headerSent' | 'respond'
> & { state: { problem?: Problem | undefined } }

/**
 * Middleware that responds with JSON to any error of a handler. `problemFrom` gives the error a status and a public
 * message; `present` gives it the shape that the client expects, and may set headers. Internal errors are logged with
 * their cause. A request whose body is still arriving receives the response at once, and its connection is closed.
 */
export function answerProblems<
  Problem extends HttpProblem,
  RequestContext extends ProblemContext<Problem>,
>(options: {
  log: Log
  problemFrom(error: unknown): Problem
  isOurFault(problem: Problem): boolean
  present(ctx: RequestContext, problem: Problem): { status: number; body: object }
}) {
  const { log, problemFrom, isOurFault, present } = options
  return async (ctx: RequestContext, next: Next): Promise<void> => {
    try {
      await next()
    } catch (error) {
      const problem = problemFrom(error)
      const { cause, retryAfterSeconds } = problem.details
      ctx.state.problem = problem
      if (isOurFault(problem))
        log.error({ err: cause ?? error, requestId: ctx.res.getHeader('x-request-id') }, problem.message)
      if (!ctx.headerSent) respond(ctx, { ...present(ctx, problem), retryAfterSeconds })
    }
  }
}

function respond(
  ctx: ProblemContext<unknown>,
  answer: { status: number; body: object; retryAfterSeconds: number | undefined },
): void {
  const { status, body, retryAfterSeconds } = answer
  ctx.respond = true
  ctx.status = status
  ctx.type = 'application/json'
  if (retryAfterSeconds !== undefined) ctx.set('retry-after', String(Math.ceil(retryAfterSeconds)))
  if (ctx.req.complete) ctx.body = JSON.stringify(body)
  else answerUnread(ctx, body)
}
