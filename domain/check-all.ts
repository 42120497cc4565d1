import { Problem } from '../schema/errors.ts'

/**
 * Runs independent checks of one input, so that all of its faults are reported at once. Throws the first problem,
 * with the problems of later checks in its `others`. Any other error of a check is rethrown unchanged.
 */
export function checkAll(...checks: readonly (() => unknown)[]): void {
  const [first, ...others] = checks.flatMap(problemsOf)
  if (first) throw new Problem(first.errorName, { ...first.details, others })
}

function problemsOf(check: () => unknown): Problem[] {
  try {
    check()
    return []
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return [error, ...(error.details.others ?? [])]
  }
}
