import { openCheck } from '../../../../domain/inference/open-check.ts'
import { Problem } from '../../../../schema/errors.ts'
import {
  AllowedToolsChoice,
  FunctionChoice,
  type ResponsesRequest,
} from '../../../../schema/wire/responses/request.ts'
import type { Offer } from './read-tools.ts'

/** Which of the functions on offer may or must be called. */
export type Choice =
  | { kind: 'word'; word: 'auto' | 'none' | 'required' }
  | { kind: 'function'; offer: Offer }
  | { kind: 'allowed'; mode: 'auto' | 'required'; offers: Offer[] }

const checkFunction = openCheck(FunctionChoice)
const checkAllowed = openCheck(AllowedToolsChoice)

/**
 * The `tool_choice`, and nothing where it says nothing: without functions on offer, or for a tool that was dropped.
 * Throws Problem for a function that is not on offer.
 */
export function readToolChoice(
  choice: ResponsesRequest['tool_choice'],
  { offers }: { offers: Offer[] },
): Choice | undefined {
  if (!choice || offers.length === 0) return undefined
  if (typeof choice === 'string') return { kind: 'word', word: choice }
  if (choice.type === 'function') return { kind: 'function', offer: findOffer(choice, 'tool_choice', offers) }
  if (choice.type !== 'allowed_tools') return undefined
  const { mode, tools } = checkAllowed(choice, 'tool_choice')
  const allowed = tools.flatMap((tool, index) =>
    tool.type === 'function' ? findOffer(tool, `tool_choice.tools[${index}]`, offers) : [],
  )
  return allowed.length > 0 ? { kind: 'allowed', mode, offers: allowed } : { kind: 'word', word: 'none' }
}

/** A name without its namespace is enough where it is the only one. */
function findOffer(value: unknown, at: string, offers: Offer[]): Offer {
  const { name, namespace } = checkFunction(value, at)
  const found = offers.find(
    offer => offer.tool.name === name && (!namespace || offer.namespace?.name === namespace),
  )
  if (found) return found
  const param = `${at}.name`
  throw new Problem('invalid_request', { param, message: `${param} is not among the tools: ${name}.` })
}
