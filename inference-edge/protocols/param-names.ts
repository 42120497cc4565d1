import { Problem } from '../../schema/errors.ts'

/**
 * The names of the chat request's parameters in the client's protocol: `messages[2]` can be `input[3]`. They are added
 * while a request is translated, and used if a problem names a parameter of the translated request.
 */
export type ParamNames = Map<string, string>

/**
 * Translates the rest of a path after a known parameter to the protocol's notation: `.function.name` can be `.name`.
 */
export type RenameRest = (rest: string) => string

/**
 * Returns the problem with its parameter renamed, also in its message. A problem without a parameter is returned
 * unchanged.
 */
export function renameParamOf(problem: Problem, names: ParamNames, renameRest: RenameRest): Problem {
  const { param } = problem.details
  const renamed = param && renameParam(param, names, renameRest)
  if (!renamed || renamed === param) return problem
  const message = problem.message.replaceAll(param, renamed)
  return new Problem(problem.errorName, { ...problem.details, param: renamed, message })
}

/** Maximum length of a parameter's name that is parsed, in characters. A vendor's text can contain anything. */
const longestParam = 200

/** Finds the longest known prefix of a parameter. Vendors may write `messages.[2]`. */
function renameParam(param: string, names: ParamNames, renameRest: RenameRest): string {
  if (param.length > longestParam) return param
  const path = param.replaceAll('.[', '[')
  for (
    let end = path.length;
    end > 0;
    end = Math.max(path.lastIndexOf('.', end - 1), path.lastIndexOf('[', end - 1))
  ) {
    const name = names.get(path.slice(0, end))
    if (name !== undefined) return name + renameRest(path.slice(end))
  }
  return param
}
