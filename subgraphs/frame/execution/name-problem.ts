import { isPassing } from '../../../platform/postgres/passing-errors.ts'
import { asProblem, Problem } from '../../../schema/errors.ts'

/** Anything thrown, as a problem: a database that is away for a moment is `unavailable`, what has no name `internal`. */
export function nameProblem(error: unknown): Problem {
  if (error instanceof Problem || !isPassing(error)) return asProblem(error)
  return new Problem('unavailable', { cause: error, retryAfterSeconds: 1, internal: 'Postgres is away' })
}
