import { openCheck } from '../../../domain/inference/parse-chat-request.ts'
import type { Tool } from '../../../schema/wire/chat.ts'
import {
  CustomTool,
  FunctionTool,
  NamespaceTool,
  type ResponsesRequest,
  ShellTool,
  type Typed,
} from '../../../schema/wire/responses/request.ts'
import type { EchoedCustom, EchoedFunction, EchoedTool } from '../../../schema/wire/responses/response.ts'
import type { ParamNames } from '../param-names.ts'
import { type EmulatedKind, functionForCustomTool, functionsForTools } from './emulated-tools.ts'
import type { ToolName, ToolNames } from './tool-names.ts'

/** A function that the model gets: a function of the client, or the emulation of another client-side tool. */
export interface OfferedFunction {
  /** The path of the tool in the request: `tools[1]`, `tools[2].tools[0]`. */
  path: string
  kind: 'function' | EmulatedKind
  definition: FunctionTool
  /** The client's declaration of the custom tool that the function emulates. */
  custom?: CustomTool
  namespace?: NamespaceTool
}

const checkFunction = openCheck(FunctionTool)
const checkCustom = openCheck(CustomTool)
const checkShell = openCheck(ShellTool)
const checkNamespace = openCheck(NamespaceTool)

/**
 * Parses the client-side tools. Tools that run at OpenAI, such as web search, are dropped silently (docs/behaviour.md,
 * Responses). Throws `missing_parameter` or `invalid_request` for an invalid tool.
 */
export function parseTools(tools: ResponsesRequest['tools']): OfferedFunction[] {
  const functions = (tools ?? []).flatMap((tool, index) => {
    const path = `tools[${index}]`
    if (tool.type !== 'namespace') return parseTool(tool, path)
    const namespace = checkNamespace(tool, path)
    return namespace.tools.flatMap((inner, position) =>
      parseTool(inner, `${path}.tools[${position}]`)
        .filter(isNamedByClient)
        .map(offered => ({ ...offered, namespace })),
    )
  })
  return avoidNameClashes(functions)
}

function parseTool(tool: Typed, path: string): OfferedFunction[] {
  switch (tool.type) {
    case 'function':
      return [{ path, kind: 'function', definition: checkFunction(tool, path) }]
    case 'custom': {
      const custom = checkCustom(tool, path)
      return [{ path, kind: 'custom', definition: functionForCustomTool(custom), custom }]
    }
    case 'shell': {
      const { environment } = checkShell(tool, path)
      if (environment && environment.type !== 'local') return []
      return [{ path, kind: 'shell', definition: functionsForTools.shell }]
    }
    case 'local_shell':
    case 'apply_patch':
      return [{ path, kind: tool.type, definition: functionsForTools[tool.type] }]
  }
  return []
}

function isNamedByClient({ kind }: OfferedFunction): boolean {
  return kind === 'function' || kind === 'custom'
}

/** Renames an emulating function if the client has a tool with the same name. */
function avoidNameClashes(functions: OfferedFunction[]): OfferedFunction[] {
  const taken = new Set(functions.filter(isNamedByClient).map(({ definition }) => definition.name))
  return functions.map(offered => {
    if (isNamedByClient(offered)) return offered
    let { name } = offered.definition
    while (taken.has(name)) name += '_tool'
    return { ...offered, definition: { ...offered.definition, name } }
  })
}

export function toolNameOf({ kind, definition: { name }, namespace }: OfferedFunction): ToolName {
  return { name, namespace: namespace?.name ?? null, ...(kind !== 'function' && { emulated: kind }) }
}

/** Returns the functions as chat tools. Adds each tool's path in the request to `paramNames`. */
export function buildTools(
  functions: OfferedFunction[],
  { toolNames, paramNames }: { toolNames: ToolNames; paramNames: ParamNames },
): Tool[] {
  return functions.map((offered, index) => {
    paramNames.set(`tools[${index}]`, offered.path)
    const { description, parameters, strict } = offered.definition
    return {
      type: 'function',
      function: {
        name: toolNames.flatten(toolNameOf(offered)),
        ...(description && { description }),
        ...(parameters && { parameters }),
        ...(strict != null && { strict }),
      },
    }
  })
}

/**
 * Returns the tools in the form in which the response repeats them: the client's declarations without dropped tools.
 */
export function echoTools(functions: OfferedFunction[]): EchoedTool[] {
  const byNamespace = Map.groupBy(functions, offered => offered.namespace ?? offered)
  return [...byNamespace].map(([group, members]) =>
    'definition' in group
      ? echoTool(group)
      : {
          type: 'namespace',
          name: group.name,
          description: group.description ?? '',
          tools: members.map(echoNamed),
        },
  )
}

function echoTool(offered: OfferedFunction): EchoedTool {
  const { kind } = offered
  if (kind === 'function' || kind === 'custom') return echoNamed(offered)
  return kind === 'shell' ? { type: kind, environment: { type: 'local' } } : { type: kind }
}

function echoNamed({
  definition: { name, description, parameters, strict },
  custom,
}: OfferedFunction): EchoedFunction | EchoedCustom {
  if (custom) return echoCustom(custom)
  return {
    type: 'function',
    name,
    description: description ?? null,
    parameters: parameters ?? null,
    strict: strict ?? null,
  }
}

function echoCustom({ name, description, format }: CustomTool): EchoedCustom {
  const grammar = format?.type === 'grammar' && format.definition
  return {
    type: 'custom',
    name,
    ...(description && { description }),
    ...(format && {
      format: grammar
        ? { type: 'grammar', syntax: format.syntax === 'regex' ? 'regex' : 'lark', definition: grammar }
        : { type: 'text' },
    }),
  }
}
