import type { ChatRequest, Tool } from '../../../schema/wire/chat.ts'
import { invalid } from '../shared/refusals.ts'
import { completeSchema } from '../shared/tools.ts'

/**
 * Returns the tools, each function with a complete schema. An empty list, and `tool_choice` and `parallel_tool_calls`
 * without tools, are dropped, because the vendor refuses them. Throws `invalid_request` with the tool.
 */
export function translateTools({
  tools,
  tool_choice,
  parallel_tool_calls,
}: ChatRequest): Pick<ChatRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'> {
  if (!tools || tools.length === 0) {
    return { tools: undefined, tool_choice: undefined, parallel_tool_calls: undefined }
  }
  return { tools: tools.map(translateTool), tool_choice, parallel_tool_calls }
}

function translateTool(tool: Tool, index: number): Tool {
  const { type, function: details, cache_control: _, ...rest } = tool
  if (type !== 'function' || !details) return { type, ...rest }
  const at = `tools[${index}].function`
  requireToolName(details.name, `${at}.name`)
  const parameters = completeSchema(details.parameters, `${at}.parameters`)
  const isEmpty = Object.keys(details.parameters ?? {}).length === 0
  // A strict schema must be closed, even without properties.
  if (isEmpty && details.strict) parameters.additionalProperties = false
  return {
    type,
    ...rest,
    function: { ...details, description: details.description ?? undefined, parameters },
  }
}

const toolName = /^[a-zA-Z0-9_-]{1,64}$/

/**
 * Checks a tool's name. This vendor accepts names half as long as other vendors. Throws `invalid_request` with `param`.
 */
export function requireToolName(name: string, param: string): void {
  if (toolName.test(name)) return
  throw invalid(param, 'A tool name has 1 to 64 letters, digits, _ and -.')
}
