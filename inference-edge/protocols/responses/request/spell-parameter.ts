import { Problem } from '../../../../schema/errors.ts'

/** Parameters of the chat request, and what the client calls them: `messages[2]` is `input[3]`. */
export type Spelling = Map<string, string>

/** Those that are called, or shaped, otherwise in every request. */
export function openSpelling(): Spelling {
  return new Map([
    ['max_tokens', 'max_output_tokens'],
    ['max_completion_tokens', 'max_output_tokens'],
    ['messages', 'input'],
    ['reasoning_effort', 'reasoning.effort'],
    ['response_format', 'text.format'],
    ['tool_choice', 'tool_choice'],
    ['verbosity', 'text.verbosity'],
  ])
}

/** A problem with its parameter, also in its words, as the client of this protocol spells it. */
export function spellProblem(spelling: Spelling, problem: Problem): Problem {
  const { param } = problem.details
  const spelled = param && spellParameter(spelling, param)
  if (!spelled || spelled === param) return problem
  const message = problem.message.replaceAll(param, spelled)
  return new Problem(problem.errorName, { ...problem.details, param: spelled, message })
}

/** A parameter of the chat request as the client of this protocol spells it; vendors may write `messages.[2]`. */
export function spellParameter(spelling: Spelling, param: string): string {
  const path = param.replaceAll('.[', '[')
  for (
    let end = path.length;
    end > 0;
    end = Math.max(path.lastIndexOf('.', end - 1), path.lastIndexOf('[', end - 1))
  ) {
    const start = spelling.get(path.slice(0, end))
    if (start !== undefined) return flattened(start, path.slice(end))
  }
  return param
}

/** What stands inside of something in chat stands beside it here. */
function flattened(start: string, rest: string): string {
  const name = rest
    .replace(/^\.(function|json_schema|allowed_tools)(?=\.|$)/, '')
    .replace(/\.image_url\.url$/, '.image_url')
    .replace(/^\.tool_call_id$/, '.call_id')
  return start + name
}
