import { openCheck } from '../../../../domain/inference/open-check.ts'
import { Problem } from '../../../../schema/errors.ts'
import {
  AllowedToolsChoice,
  FunctionChoice,
  type ResponsesRequest,
  type Typed,
} from '../../../../schema/wire/responses/request.ts'
import type { Offer } from './read-tools.ts'

/** Which of the tools on offer may or must be called. */
export type Choice =
  | { kind: 'word'; word: 'auto' | 'none' | 'required' }
  | { kind: 'function'; offer: Offer }
  | { kind: 'allowed'; mode: 'auto' | 'required'; offers: Offer[] }

const checkFunction = openCheck(FunctionChoice)
const checkAllowed = openCheck(AllowedToolsChoice)

/**
 * The `tool_choice`, and nothing where it says nothing: without tools on offer. Throws Problem for a tool that is not
 * on offer, and `unsupported_parameter` where a tool must be called that was dropped.
 */
export function readToolChoice(
  choice: ResponsesRequest['tool_choice'],
  { offers, tools }: { offers: Offer[]; tools: ResponsesRequest['tools'] },
): Choice | undefined {
  if (!choice) return undefined
  if (typeof choice === 'string') {
    if (choice === 'required' && offers.length === 0 && tools && tools.length > 0)
      throw refuseDropped('tool_choice')
    return offers.length > 0 ? { kind: 'word', word: choice } : undefined
  }
  const find = openFinder(offers)
  if (choice.type !== 'allowed_tools') {
    if (isNamed(choice) && offers.length === 0) return undefined
    return { kind: 'function', offer: find(choice, 'tool_choice') }
  }
  const { mode, tools: listed } = checkAllowed(choice, 'tool_choice')
  const allowed = listed.flatMap((tool, index) =>
    isOfClient(tool) ? find(tool, `tool_choice.tools[${index}]`) : [],
  )
  if (allowed.length > 0) return { kind: 'allowed', mode, offers: allowed }
  if (mode === 'required') throw refuseDropped('tool_choice.tools')
  return { kind: 'word', word: 'none' }
}

const isNamed = ({ type }: Typed) => type === 'function' || type === 'custom'

/** Whether a tool of that type is run by the client; all others are the server's own. */
const isOfClient = (tool: Typed) =>
  isNamed(tool) || ['shell', 'local_shell', 'apply_patch'].includes(tool.type)

/** Looks tools up by kind and name. A name without its namespace is enough: it means the first of that name. */
function openFinder(offers: Offer[]): (choice: Typed, at: string) => Offer {
  const known = new Map<string, Offer>()
  const add = (key: string, offer: Offer) => known.has(key) || known.set(key, offer)
  for (const offer of offers) {
    const { kind, tool, namespace } = offer
    add(kind, offer)
    add(keyOf(kind, tool.name), offer)
    if (namespace) add(keyOf(kind, tool.name, namespace.name), offer)
  }
  return (choice, at) => {
    if (!isNamed(choice)) {
      const found = known.get(choice.type)
      if (found) return found
      throw refuseDropped(at)
    }
    const { name, namespace } = checkFunction(choice, at)
    const found = known.get(keyOf(choice.type, name, namespace))
    if (found) return found
    const param = `${at}.name`
    throw new Problem('invalid_request', { param, message: `${param} is not among the tools: ${name}.` })
  }
}

function keyOf(kind: string, name: string, namespace?: string | null): string {
  return JSON.stringify([kind, name, namespace || null])
}

function refuseDropped(param: string): Problem {
  return new Problem('unsupported_parameter', {
    param,
    message: `${param} forces a tool that is not there: of the tools only function, custom, local_shell, shell (in a local environment) and apply_patch can be called here.`,
  })
}
