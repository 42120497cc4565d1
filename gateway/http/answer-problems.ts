import type { Next } from 'koa'
import { openProblemAnswer } from '../../platform/http/answer-problems.ts'
import type { Log } from '../../platform/log.ts'
import { type Problem, presentProblem } from '../../schema/errors.ts'
import { presented, problemFrom } from '../../subgraphs/runtime/present-error.ts'
import { graphPath } from '../graph/open-graph.ts'
import type { ControlContext } from './control-context.ts'

/**
 * Returns middleware that presents errors of handlers: as a GraphQL error at the path of the graph, and as a REST error
 * body elsewhere.
 */
export function answerProblems(log: Log) {
  const answer = openProblemAnswer<Problem, ControlContext>({
    log,
    problemFrom,
    isOurFault: problem => problem.status >= 500,
    present: (ctx, problem) => ({
      status: problem.status,
      body: ctx.path === graphPath ? { errors: [presented(problem)] } : presentProblem(problem),
    }),
  })
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    try {
      await next()
    } catch (error) {
      answer(ctx, error)
    }
  }
}
