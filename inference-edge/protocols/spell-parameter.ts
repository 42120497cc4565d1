import { Problem } from '../../schema/errors.ts'

/** Parameters of the chat request, and what the client calls them: `messages[2]` is `input[3]`. */
export type Spelling = Map<string, string>

/** How a protocol writes what stands inside of a parameter that it calls otherwise: `.function.name` is `.name`. */
export type SpellRest = (rest: string) => string

/** A problem with its parameter, also in its words, as the client of a protocol spells it. */
export function spellProblem(spelling: Spelling, problem: Problem, spellRest: SpellRest): Problem {
  const { param } = problem.details
  const spelled = param && spellParameter(spelling, param, spellRest)
  if (!spelled || spelled === param) return problem
  const message = problem.message.replaceAll(param, spelled)
  return new Problem(problem.errorName, { ...problem.details, param: spelled, message })
}

/** Longer ones are no parameters: a vendor may write anything. */
const longestParameter = 200

/** A parameter of the chat request as the client of a protocol spells it; vendors may write `messages.[2]`. */
export function spellParameter(spelling: Spelling, param: string, spellRest: SpellRest): string {
  if (param.length > longestParameter) return param
  const path = param.replaceAll('.[', '[')
  for (
    let end = path.length;
    end > 0;
    end = Math.max(path.lastIndexOf('.', end - 1), path.lastIndexOf('[', end - 1))
  ) {
    const start = spelling.get(path.slice(0, end))
    if (start !== undefined) return start + spellRest(path.slice(end))
  }
  return param
}
