import { isRecord } from '../../../platform/checks.ts'
import type { ChatRequest, Tool } from '../../../schema/wire/chat.ts'
import { invalid } from '../shared/refusals.ts'
import { completeSchema, offeredNames, readAllowed, refuseChoice, requireOffered } from '../shared/tools.ts'
import type { CallingConfig, FunctionDeclaration, GenerateBody } from './wire.ts'

/**
 * Translates the tools and `tool_choice`. Tools other than functions are dropped, and so are `strict` and
 * `parallel_tool_calls`, which the vendor does not support. Throws `unsupported_parameter` and `invalid_request` with
 * the tool.
 */
export function translateTools(request: ChatRequest): Pick<GenerateBody, 'tools' | 'toolConfig'> {
  const declared = declareFunctions(request.tools ?? [])
  if (declared.length === 0) return {}
  const { functions, calling } = translateToolChoice(request, declared)
  return {
    tools: [{ functionDeclarations: functions }],
    ...(calling && { toolConfig: { functionCallingConfig: calling } }),
  }
}

function declareFunctions(tools: readonly Tool[]): FunctionDeclaration[] {
  const names = new Set<string>()
  return tools.flatMap(({ type, function: details }, index) => {
    if (type !== 'function' || !details) return []
    const param = `tools[${index}].function.name`
    const name = requireFunctionName(details.name, param)
    if (names.has(name)) {
      throw invalid(param, `Two tools are named ${name}.`)
    }
    names.add(name)
    return [
      {
        name,
        ...(details.description && { description: details.description.toWellFormed() }),
        parametersJsonSchema: completeSchema(details.parameters, `tools[${index}].function.parameters`),
      },
    ]
  })
}

interface ToolsAndChoice {
  functions: FunctionDeclaration[]
  calling?: CallingConfig
}

/**
 * Translates `tool_choice`: a mode, one function, or a list of allowed tools. The vendor restricts a choice to names
 * only if a call is forced. Otherwise the other functions are left out. Throws `invalid_request` for an invalid choice,
 * and for a tool that is not in the request.
 */
function translateToolChoice(
  { tool_choice: choice }: Pick<ChatRequest, 'tool_choice'>,
  functions: FunctionDeclaration[],
): ToolsAndChoice {
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

const functionName = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/

/** Returns the name of a function. Throws `invalid_request` with `param` if the vendor does not accept it. */
export function requireFunctionName(name: string, param: string): string {
  if (functionName.test(name)) return name
  throw invalid(
    param,
    'A tool name has 1 to 128 letters, digits, _, ., : and -, and begins with a letter or _.',
  )
}
