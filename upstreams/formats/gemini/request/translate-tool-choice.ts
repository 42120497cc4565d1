import { isRecord } from '../../../../platform/is-record.ts'
import type { ChatRequest } from '../../../../schema/wire/chat.ts'
import { offeredNames, readAllowed, refuseChoice, requireOffered } from '../../shared/request/name-choice.ts'
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
    const name = requireOffered(details, offeredNames(functions))
    return { functions, calling: { mode: 'ANY', allowedFunctionNames: [name] } }
  }
  if (typeof choice !== 'string' && choice.type === 'allowed_tools' && isRecord(details)) {
    const names = readAllowed(details.tools, offeredNames(functions))
    if (details.mode === 'required')
      return { functions, calling: { mode: 'ANY', allowedFunctionNames: [...names] } }
    return { functions: functions.filter(({ name }) => name && names.has(name)) }
  }
  throw refuseChoice()
}
