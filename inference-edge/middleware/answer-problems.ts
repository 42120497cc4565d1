import type { Next } from 'koa'
import { answerUnread } from '../../platform/http/answer-unread.ts'
import { asProblem, type Problem, presentProblem } from '../../schema/errors.ts'
import { problemOf, UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { presentMessagesProblem, speaksMessages } from '../protocols/messages/client.ts'
import { setKnownRates } from './rates.ts'

/**
 * Answers everything that a route throws in the one agreed shape, or in that of the Messages protocol. What has no name is masked. Where it came from is
 * logged where the fault is ours; of all else the request's own line says enough.
 */
export function answerProblems(edge: Edge) {
  return async (ctx: EdgeContext, next: Next): Promise<void> => {
    try {
      await next()
    } catch (error) {
      const problem = problemIn(error)
      ctx.state.problem = problem
      if (isOurs(problem)) {
        const err = problem.details.cause ?? error
        edge.log.error({ err, requestId: ctx.state.record.requestId }, problem.message)
      }
      if (ctx.headerSent) return
      if (problem.status !== 401) setKnownRates(edge, ctx)
      answerProblem(ctx, problem)
    }
  }
}

/** Faults of ours or of what we stand on: no vendor's, and not that there is too much to do. */
const ours: readonly string[] = ['internal', 'unavailable', 'settlement_unknown']

function isOurs({ errorName }: Problem): boolean {
  return ours.includes(errorName)
}

/** Anything thrown, as the problem that the client is told. */
export function problemIn(error: unknown): Problem {
  return error instanceof UpstreamFailure ? problemOf(error) : asProblem(error)
}

function answerProblem(ctx: EdgeContext, problem: Problem): void {
  const { status, body, shouldRetry } = presentFor(ctx, problem)
  ctx.respond = true
  ctx.status = status
  ctx.type = 'application/json'
  const { retryAfterSeconds } = problem.details
  if (retryAfterSeconds !== undefined) ctx.set('retry-after', String(retryAfterSeconds))
  if (shouldRetry !== undefined) ctx.set('x-should-retry', String(shouldRetry))
  // A body that still comes is not waited for: its connection ends.
  if (ctx.req.complete) ctx.body = JSON.stringify(body)
  else answerUnread(ctx, body)
}

/** A problem as this client reads it. */
function presentFor(ctx: EdgeContext, problem: Problem) {
  const { requestId } = ctx.state.record
  if (!speaksMessages(ctx)) {
    return { status: problem.status, body: presentProblem(problem), shouldRetry: problem.details.shouldRetry }
  }
  ctx.set('request-id', requestId)
  return presentMessagesProblem(problem, requestId)
}
