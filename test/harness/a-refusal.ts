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
