import { expect } from 'vitest'
import { Problem } from '../../schema/errors.ts'

/** How a request was refused before any vendor saw it: the problem and its parameter; undefined where it was not. */
export async function aRefusal(
  refused: () => unknown,
): Promise<{ problem: string; param: string | undefined } | undefined> {
  try {
    await refused()
    return undefined
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { problem: error.errorName, param: error.details.param }
  }
}

/** Returns the error that a function throws, or `nothing`. */
export function thrownBy(act: () => unknown): unknown {
  try {
    act()
    return 'nothing'
  } catch (error) {
    return error
  }
}

/** Matches a problem by its name and its parameter. */
export const problemAt = (param: string, errorName: string): unknown =>
  expect.objectContaining({ errorName, details: expect.objectContaining({ param }) })
