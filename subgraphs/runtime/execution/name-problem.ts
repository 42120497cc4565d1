import { isGivenUp, isTransient } from '../../../platform/postgres/transient-errors.ts'
import { asProblem, Problem } from '../../../schema/errors.ts'

/**
 * Anything thrown, as a problem: a database that is away for a moment is `unavailable`, a statement that it gave up
 * `overloaded`, what has no name `internal`.
 */
export function nameProblem(error: unknown): Problem {
  if (error instanceof Problem || !isTransient(error)) return asProblem(error)
  if (isGivenUp(error))
    return new Problem('overloaded', { cause: error, retryAfterSeconds: 1, internal: 'STATEMENT_TIMEOUT_MS' })
  return new Problem('unavailable', { cause: error, retryAfterSeconds: 1, internal: 'Postgres is away' })
}
