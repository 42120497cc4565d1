import { GraphQLError } from 'graphql'
import type { Log } from '../../../platform/log.ts'
import { errorCatalogue, Problem } from '../../../schema/errors.ts'
import { nameProblem } from './name-problem.ts'

/**
 * Presents an error as the graph shows it: `extensions.code` by the catalogue, `problem` its name there, `param` the
 * parameter at fault. What graphql-js itself says about a request stays; whatever else was thrown is masked and
 * logged.
 */
export function presentGraphError(error: GraphQLError, log: Log): GraphQLError {
  if (typeof error.extensions.problem === 'string') return error // presented already
  const cause = causeOf(error)
  if (cause instanceof GraphQLError)
    return presented(new Problem('invalid_request', { message: error.message }), error)
  const problem = nameProblem(cause)
  if (problem.status >= 500) {
    const { internal } = problem.details
    log.error({ path: error.path, internal, error: cause.stack }, problem.message)
  }
  return presented(problem, error)
}

/** A problem as a GraphQL error that points where `at` points; nowhere unless given. */
export function presented(problem: Problem, at?: GraphQLError): GraphQLError {
  const { param, retryAfterSeconds } = problem.details
  return new GraphQLError(problem.message, {
    nodes: at?.nodes,
    source: at?.source,
    positions: at?.positions,
    path: at?.path,
    extensions: {
      code: errorCatalogue[problem.errorName].graphqlCode,
      problem: problem.errorName,
      ...(param !== undefined && { param }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    },
  })
}

/** The innermost error: graphql-js wraps what a resolver or scalar throws, and what it says about arguments. */
function causeOf(error: GraphQLError): Error {
  const inner = error.originalError
  if (inner instanceof GraphQLError)
    return inner.nodes || inner.originalError ? causeOf(inner) : new Error(inner.message)
  return inner ?? error
}
