import { openProblemAnswer } from '../../platform/http/answer-problems.ts'
import { type Problem, presentProblem } from '../../schema/errors.ts'
import { problemIn } from '../../upstreams/upstream-failure.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { setKnownRates } from '../pipeline/count-request.ts'
import { presentMessagesProblem, speaksMessages } from '../protocols/messages/client.ts'

/**
 * Returns the function that converts the error of a route to a response, in OpenAI's shape, or in Anthropic's for
 * clients of the Messages protocol.
 */
export function openEdgeProblems(edge: Edge) {
  return openProblemAnswer<Problem, EdgeContext>({
    log: edge.log,
    problemFrom: problemIn,
    isOurFault: ({ errorName }) => ourFaults.includes(errorName),
    present(ctx, problem) {
      if (problem.status !== 401) setKnownRates(edge, ctx)
      const { status, body, shouldRetry } = presentFor(ctx, problem)
      if (shouldRetry !== undefined) ctx.set('x-should-retry', String(shouldRetry))
      else if (isLongWait(problem)) ctx.set('x-should-retry', 'false')
      return { status, body }
    },
  })
}

/**
 * Maximum `Retry-After` with which SDKs should retry automatically, in seconds. With a longer one, Anthropic's SDK
 * would sleep for up to 24 days, and OpenAI's SDK would retry within 8 s and be refused again.
 */
const longestRetryAfterSeconds = 60

function isLongWait({ details }: Problem): boolean {
  return (details.retryAfterSeconds ?? 0) > longestRetryAfterSeconds
}

/** Errors that are logged with their cause. Failures of vendors and overload are only in the request's log line. */
const ourFaults: readonly string[] = ['internal', 'unavailable', 'settlement_unknown']

/** Presents a problem in the shape that this client expects. */
function presentFor(ctx: EdgeContext, problem: Problem) {
  const { requestId } = ctx.state.record
  if (!speaksMessages(ctx)) {
    return { status: problem.status, body: presentProblem(problem), shouldRetry: problem.details.shouldRetry }
  }
  ctx.set('request-id', requestId)
  return presentMessagesProblem(problem, requestId)
}
