import { Problem } from '../../schema/errors.ts'

/**
 * The names of the chat request's parameters in the client's protocol: `messages[2]` may be `input[3]`. Filled
 * while a request is translated, used when a problem names a parameter of the translated request.
 */
export type ParamNames = Map<string, string>

/** How a protocol writes what follows a known parameter: `.function.name` may be `.name`. */
export type RenameRest = (rest: string) => string

/** The problem with its parameter renamed, also in its message; unchanged where it has none. */
export function renameParamOf(problem: Problem, names: ParamNames, renameRest: RenameRest): Problem {
  const { param } = problem.details
  const renamed = param && renameParam(param, names, renameRest)
  if (!renamed || renamed === param) return problem
  const message = problem.message.replaceAll(param, renamed)
  return new Problem(problem.errorName, { ...problem.details, param: renamed, message })
}

/** Longer ones are not parsed: the text is the vendor's and may be anything. */
const longestParam = 200

/** Looks for the longest known prefix. Vendors may write `messages.[2]`. */
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
