import { Problem } from '../schema/errors.ts'

/**
 * Runs checks of one input that do not depend on each other, so that all its faults are told at once: throws
 * the first problem, with those of the later checks in its `others`. Anything else that a check throws is
 * thrown as it is.
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
