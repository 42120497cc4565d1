import type { Context, Next } from 'koa'
import { answerUnread } from '../../platform/http/answer-unread.ts'
import { asProblem, type Problem, presentProblem } from '../../schema/errors.ts'
import { problemOf, UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { Edge } from '../edge.ts'
import { tellKnownRates } from './tell-rates.ts'

/**
 * Answers everything that a route throws in the one agreed shape. What has no name is masked. Where it came from is
 * logged where the fault is ours; of all else the request's own line says enough.
 */
export function answerProblems(edge: Edge) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next()
    } catch (error) {
      const problem = problemIn(error)
      ctx.state.problem = problem
      if (isOurs(problem)) {
        const err = problem.details.cause ?? error
        edge.log.error({ err, requestId: ctx.state.requestId }, problem.message)
      }
      if (ctx.headerSent) return
      if (problem.status !== 401) tellKnownRates(edge, ctx)
      answerProblem(ctx, problem)
    }
  }
}

/** A fault of ours or of what we stand on, not a vendor's, and not that there is too much to do. */
function isOurs({ errorName }: Problem): boolean {
  return errorName === 'internal' || errorName === 'unavailable'
}

/** Anything thrown, as the problem that the client is told. */
export function problemIn(error: unknown): Problem {
  return error instanceof UpstreamFailure ? problemOf(error) : asProblem(error)
}

function answerProblem(ctx: Context, problem: Problem): void {
  ctx.respond = true
  ctx.status = problem.status
  ctx.type = 'application/json'
  const { retryAfterSeconds, shouldRetry } = problem.details
  if (retryAfterSeconds !== undefined) ctx.set('retry-after', String(retryAfterSeconds))
  if (shouldRetry !== undefined) ctx.set('x-should-retry', String(shouldRetry))
  const body = presentProblem(problem)
  if (problem.errorName === 'body_too_large') answerUnread(ctx, body)
  else ctx.body = JSON.stringify(body)
}
