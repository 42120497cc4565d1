import { Problem } from '../../../schema/errors.ts'
import type { ChatRequest, Tool as ChatTool, Message } from '../../../schema/wire/chat.ts'
import type { MessagesBody, Tool } from '../wire.ts'
import { requireToolName } from './require-tool-name.ts'
import { translateInputSchema } from './translate-input-schema.ts'
import { translateToolChoice } from './translate-tool-choice.ts'

/**
 * The tools on offer and which of them may be called. Tools that are not functions are dropped; so is `strict`, whose
 * limits (number of tools, optional parameters) would refuse requests that other vendors take. Calls in the history
 * need tools to stand for: without any on offer they are declared by name, and none may be called.
 * Throws `unsupported_parameter` and `invalid_request`, naming the tool.
 */
export function translateTools(
  request: ChatRequest,
  answerTool: Tool | undefined,
): Pick<MessagesBody, 'tools' | 'tool_choice'> {
  if (answerTool)
    return {
      tools: [answerTool],
      tool_choice: { type: 'tool', name: answerTool.name, disable_parallel_tool_use: true },
    }
  const offered = translateFunctions(request.tools ?? [])
  if (offered.length > 0) return translateToolChoice(request, offered)
  const called = declareCalled(request.messages)
  return called.length > 0 ? { tools: called, tool_choice: { type: 'none' } } : {}
}

function translateFunctions(tools: ChatTool[]): Tool[] {
  const names = new Set<string>()
  return tools.flatMap(({ type, function: details }, index) => {
    if (type !== 'function' || !details) return []
    const at = `tools[${index}].function`
    const name = requireToolName(details.name, `${at}.name`)
    if (names.has(name)) {
      throw new Problem('invalid_request', { param: `${at}.name`, message: `Two tools are named ${name}.` })
    }
    names.add(name)
    const input_schema = translateInputSchema(details.parameters, `${at}.parameters`)
    return { name, description: details.description || undefined, input_schema }
  })
}

function declareCalled(messages: Message[]): Tool[] {
  const names = messages.flatMap(
    ({ tool_calls: calls }) => calls?.flatMap(call => ('function' in call ? call.function.name : [])) ?? [],
  )
  return [...new Set(names)].map(name => ({ name, input_schema: { type: 'object', properties: {} } }))
}
