import type { Problem } from '../../../../schema/errors.ts'
import { type ParamNames, renameParamOf } from '../../param-names.ts'

/** The parameters of the chat request that are called, or shaped, otherwise in every request of this protocol. */
export function openParamNames(): ParamNames {
  return new Map([
    ['max_tokens', 'max_output_tokens'],
    ['max_completion_tokens', 'max_output_tokens'],
    ['messages', 'input'],
    ['reasoning_effort', 'reasoning.effort'],
    ['response_format', 'text.format'],
    ['tool_choice', 'tool_choice'],
    ['verbosity', 'text.verbosity'],
    ['logprobs', 'include'],
    ['top_logprobs', 'top_logprobs'],
  ])
}

/** A problem of the chat request as a client of this protocol spells it. */
export function spellRequest(paramNames: ParamNames, problem: Problem): Problem {
  return renameParamOf(problem, paramNames, flattened)
}

/** What stands inside of something in chat stands beside it here. */
function flattened(rest: string): string {
  return rest
    .replace(/^\.(function|json_schema|allowed_tools)(?=\.|$)/, '')
    .replace(/\.image_url\.url$/, '.image_url')
    .replace(/^\.tool_call_id$/, '.call_id')
}
