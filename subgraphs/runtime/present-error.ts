import { GraphQLError } from 'graphql'
import type { Log } from '../../platform/log.ts'
import { isGivenUp, isTransient } from '../../platform/postgres/transient-errors.ts'
import { asProblem, errorCatalogue, Problem } from '../../schema/errors.ts'

/**
 * Presents an error as clients of the graph see it: `extensions.code` and `problem` from the catalogue of
 * errors (schema/errors.ts), `param` for the parameter at fault. Errors of graphql-js about a request keep
 * their message; unexpected errors are masked and logged.
 */
export function presentGraphError(error: GraphQLError, log: Log): GraphQLError {
  if (typeof error.extensions.problem === 'string') return error // presented already
  const cause = causeOf(error)
  if (cause instanceof GraphQLError)
    return presented(new Problem('invalid_request', { message: error.message }), error)
  const problem = problemFrom(cause)
  if (problem.status >= 500) {
    const { internal } = problem.details
    log.error({ path: error.path, internal, error: cause.stack }, problem.message)
  }
  return presented(problem, error)
}

/** The other faults of the same input that an error brings along, presented. */
export function presentOtherFaults(error: GraphQLError): GraphQLError[] {
  const cause = typeof error.extensions.problem === 'string' ? undefined : causeOf(error)
  const others = cause instanceof Problem ? (cause.details.others ?? []) : []
  return others.map(problem => presented(problem, error))
}

/** A problem as a GraphQL error, with the location and path of `at` where that is given. */
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

/**
 * The innermost error: graphql-js wraps what a resolver or a scalar throws, and its own errors about
 * arguments.
 */
function causeOf(error: GraphQLError): Error {
  const inner = error.originalError
  if (inner instanceof GraphQLError)
    return inner.nodes || inner.originalError ? causeOf(inner) : new Error(inner.message)
  return inner ?? error
}

/**
 * Any thrown value as a problem: `unavailable` for a database that cannot be reached at the moment,
 * `overloaded` for a statement that ran into its timeout, `internal` for anything unexpected.
 */
export function problemFrom(error: unknown): Problem {
  if (error instanceof Problem || !isTransient(error)) return asProblem(error)
  if (isGivenUp(error))
    return new Problem('overloaded', { cause: error, retryAfterSeconds: 1, internal: 'STATEMENT_TIMEOUT_MS' })
  return new Problem('unavailable', { cause: error, retryAfterSeconds: 1, internal: 'Postgres is away' })
}
