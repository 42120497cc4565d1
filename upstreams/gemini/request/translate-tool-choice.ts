import { isRecord } from '../../../platform/is-record.ts'
import { Problem } from '../../../schema/errors.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import type { CallingConfig, FunctionDeclaration } from '../wire.ts'

interface Offer {
  functions: FunctionDeclaration[]
  calling?: CallingConfig
}

/**
 * The `tool_choice`: a word, one function, or a list of those allowed. The vendor limits a choice to names only where
 * a call is demanded; where it is free, the other functions are not shown.
 * Throws `invalid_request` for a choice that is none, or of a tool that is not on offer.
 */
export function translateToolChoice(
  { tool_choice: choice }: Pick<ChatRequest, 'tool_choice'>,
  functions: FunctionDeclaration[],
): Offer {
  if (choice === undefined || choice === null || choice === 'auto') return { functions }
  if (choice === 'none') return { functions, calling: { mode: 'NONE' } }
  if (choice === 'required') return { functions, calling: { mode: 'ANY' } }
  const details: unknown = typeof choice === 'string' ? undefined : Reflect.get(choice, choice.type)
  if (typeof choice !== 'string' && choice.type === 'function') {
    const name = requireOffered(details, functions)
    return { functions, calling: { mode: 'ANY', allowedFunctionNames: [name] } }
  }
  if (typeof choice !== 'string' && choice.type === 'allowed_tools' && isRecord(details)) {
    const names = namesOf(details.tools, functions)
    if (details.mode === 'required')
      return { functions, calling: { mode: 'ANY', allowedFunctionNames: names } }
    return { functions: functions.filter(({ name }) => name && names.includes(name)) }
  }
  throw refuse('tool_choice must be auto, none, required, a function, or allowed_tools.')
}

function namesOf(list: unknown, functions: readonly FunctionDeclaration[]): string[] {
  if (!Array.isArray(list) || list.length === 0) throw refuse('allowed_tools must name tools.')
  return list.map(entry => requireOffered(isRecord(entry) ? entry.function : undefined, functions))
}

function requireOffered(details: unknown, functions: readonly FunctionDeclaration[]): string {
  const asked = isRecord(details) ? details.name : undefined
  const name = functions.find(known => known.name === asked)?.name
  if (name === undefined) throw refuse(`tool_choice names a tool that is not among tools: ${String(asked)}.`)
  return name
}

function refuse(message: string): Problem {
  return new Problem('invalid_request', { param: 'tool_choice', message })
}
