import { GraphQLError } from 'graphql'
import type { Log } from '../../platform/log.ts'
import { isGivenUp, isTransient } from '../../platform/postgres/transient-errors.ts'
import { errorCatalogue } from '../../schema/error-catalogue.ts'
import { asProblem, Problem } from '../../schema/errors.ts'

/**
 * Converts an error to the format for clients of the graph: `extensions.code` and `problem` from the error catalogue
 * (schema/error-catalogue.ts), and `param` for the invalid parameter. Errors of graphql-js about a request keep their message.
 * Unexpected errors are masked and logged.
 */
export function presentGraphError(error: GraphQLError, log: Log): GraphQLError {
  if (typeof error.extensions.problem === 'string') return error // already presented
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

/** Returns the other errors about the same input that an error carries. */
export function presentOtherFaults(error: GraphQLError): GraphQLError[] {
  const cause = typeof error.extensions.problem === 'string' ? undefined : causeOf(error)
  const others = cause instanceof Problem ? (cause.details.others ?? []) : []
  return others.map(problem => presented(problem, error))
}

/** Converts a problem to a GraphQL error, with the location and path of `at`. */
export function presented(problem: Problem, at?: GraphQLError): GraphQLError {
  const { param, retryAfterSeconds } = problem.details
  return new GraphQLError(problem.message, {
    nodes: at?.nodes ?? null,
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
 * Returns the innermost error. graphql-js wraps errors that resolvers and scalars throw, and its own errors about
 * arguments.
 */
function causeOf(error: GraphQLError): Error {
  const inner = error.originalError
  if (inner instanceof GraphQLError)
    return inner.nodes || inner.originalError ? causeOf(inner) : new Error(inner.message)
  return inner ?? error
}

/**
 * Converts any thrown value to a problem: `unavailable` if the database is temporarily unreachable, `overloaded` if a
 * statement ran into its timeout, and `internal` for unexpected errors.
 */
export function problemFrom(error: unknown): Problem {
  if (error instanceof Problem || !isTransient(error)) return asProblem(error)
  if (isGivenUp(error))
    return new Problem('overloaded', {
      cause: error,
      retryAfterSeconds: 1,
      internal: 'a statement timed out',
    })
  return new Problem('unavailable', {
    cause: error,
    retryAfterSeconds: 1,
    internal: 'Postgres is unavailable',
  })
}
