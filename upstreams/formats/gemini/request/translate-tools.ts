import { Problem } from '../../../../schema/errors.ts'
import type { ChatRequest, Tool } from '../../../../schema/wire/chat.ts'
import { completeSchema } from '../../shared/request/complete-schema.ts'
import type { FunctionDeclaration, GenerateBody } from '../wire.ts'
import { requireName } from './require-name.ts'
import { translateToolChoice } from './translate-tool-choice.ts'

/**
 * The tools on offer and which of them may be called. Tools that are not functions are dropped, and so are `strict`
 * and `parallel_tool_calls`, for which the vendor has no word.
 * Throws `unsupported_parameter` and `invalid_request`, naming the tool.
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
    const name = requireName(details.name, param)
    if (names.has(name)) {
      throw new Problem('invalid_request', { param, message: `Two tools are named ${name}.` })
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
