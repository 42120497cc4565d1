import { openCheck } from '../../../domain/inference/parse-chat-request.ts'
import { Problem } from '../../../schema/errors.ts'
import { invalidParam } from '../../../schema/refuse-param.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import {
  AllowedToolsChoice,
  FunctionChoice,
  type ResponsesRequest,
  type Typed,
} from '../../../schema/wire/responses/request.ts'
import type { EchoedChoice } from '../../../schema/wire/responses/response.ts'
import type { ToolNames } from './tool-names.ts'
import { type OfferedFunction, toolNameOf } from './tools.ts'

/** The functions of the request that the model may or must call. */
export type ToolChoice =
  | { kind: 'mode'; mode: 'auto' | 'none' | 'required' }
  | { kind: 'function'; offered: OfferedFunction }
  | { kind: 'allowed'; mode: 'auto' | 'required'; functions: OfferedFunction[] }

const checkFunction = openCheck(FunctionChoice)
const checkAllowed = openCheck(AllowedToolsChoice)

/**
 * Parses `tool_choice`. Returns undefined if the request has no function, so that it has no effect. Throws
 * `invalid_request` for a tool that is not in `tools`, and `unsupported_parameter` if only a dropped tool could be
 * called.
 */
export function parseToolChoice(
  choice: ResponsesRequest['tool_choice'],
  { functions, tools }: { functions: OfferedFunction[]; tools: ResponsesRequest['tools'] },
): ToolChoice | undefined {
  if (!choice) return undefined
  if (typeof choice === 'string') {
    if (choice === 'required' && functions.length === 0 && tools && tools.length > 0)
      throw refuseDropped('tool_choice')
    return functions.length > 0 ? { kind: 'mode', mode: choice } : undefined
  }
  const find = openFinder(functions)
  if (choice.type !== 'allowed_tools') {
    if (isNamed(choice) && functions.length === 0) return undefined
    return { kind: 'function', offered: find(choice, 'tool_choice') }
  }
  const { mode, tools: listed } = checkAllowed(choice, 'tool_choice')
  const allowed = listed.flatMap((tool, index) =>
    isRunByClient(tool) ? find(tool, `tool_choice.tools[${index}]`) : [],
  )
  if (allowed.length > 0) return { kind: 'allowed', mode, functions: allowed }
  if (mode === 'required') throw refuseDropped('tool_choice.tools')
  return { kind: 'mode', mode: 'none' }
}

/** Returns the choice in the canonical chat format. */
export function buildToolChoice(
  choice: ToolChoice,
  toolNames: ToolNames,
): NonNullable<ChatRequest['tool_choice']> {
  const build = (offered: OfferedFunction) => ({
    type: 'function',
    function: { name: toolNames.flatten(toolNameOf(offered)) },
  })
  if (choice.kind === 'mode') return choice.mode
  if (choice.kind === 'function') return build(choice.offered)
  const { mode, functions } = choice
  const allowed = { type: 'allowed_tools', allowed_tools: { mode, tools: functions.map(build) } }
  return allowed
}

/** Returns the choice in the form in which the response repeats it. */
export function echoChoice(choice: ToolChoice | undefined): EchoedChoice {
  if (!choice) return 'auto'
  if (choice.kind === 'mode') return choice.mode
  if (choice.kind === 'allowed') {
    return { type: 'allowed_tools', mode: choice.mode, tools: choice.functions.map(echoAllowed) }
  }
  const { kind, definition, namespace } = choice.offered
  if (kind === 'function') {
    return { type: kind, name: definition.name, ...(namespace && { namespace: namespace.name }) }
  }
  if (kind === 'custom') return { type: kind, name: definition.name }
  // The protocol cannot express a choice of `local_shell`.
  return kind === 'local_shell' ? 'required' : { type: kind }
}

function echoAllowed({ kind, definition, namespace }: OfferedFunction) {
  if (kind !== 'function' && kind !== 'custom') return { type: kind }
  return { type: kind, name: definition.name, ...(namespace && { namespace: namespace.name }) }
}

const isNamed = ({ type }: Typed) => type === 'function' || type === 'custom'

/** Tools of all other types run at the vendor. */
const isRunByClient = (tool: Typed) =>
  isNamed(tool) || ['shell', 'local_shell', 'apply_patch'].includes(tool.type)

/** Finds functions by kind and name. A name without a namespace selects the first function with that name. */
function openFinder(functions: OfferedFunction[]): (choice: Typed, path: string) => OfferedFunction {
  const known = new Map<string, OfferedFunction>()
  const add = (key: string, offered: OfferedFunction) => known.has(key) || known.set(key, offered)
  for (const offered of functions) {
    const { kind, definition, namespace } = offered
    add(kind, offered)
    add(keyOf(kind, definition.name), offered)
    if (namespace) add(keyOf(kind, definition.name, namespace.name), offered)
  }
  return (choice, path) => {
    if (!isNamed(choice)) {
      const found = known.get(choice.type)
      if (found) return found
      throw refuseDropped(path)
    }
    const { name, namespace } = checkFunction(choice, path)
    const found = known.get(keyOf(choice.type, name, namespace))
    if (found) return found
    throw invalidParam(`${path}.name`, `is not among the tools: ${name}`)
  }
}

function keyOf(kind: string, name: string, namespace?: string | null): string {
  return JSON.stringify([kind, name, namespace || null])
}

function refuseDropped(param: string): Problem {
  return new Problem('unsupported_parameter', {
    param,
    message: `${param} forces a tool that cannot be called here. Only function, custom, local_shell, shell (in a local environment) and apply_patch are supported.`,
  })
}
