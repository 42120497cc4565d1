import type { ChatRequest, Tool } from '../../../../schema/wire/chat.ts'
import { completeSchema } from '../../shared/request/complete-schema.ts'
import { requireToolName } from './require-tool-name.ts'

/**
 * The tools on offer, each function with a whole schema. A list of none is refused upstream, and so are `tool_choice`
 * and `parallel_tool_calls` without one: they are dropped with it. Throws `invalid_request`, naming the tool.
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
  // A strict schema must say that it is closed, also where there is nothing in it.
  if (isEmpty && details.strict) parameters.additionalProperties = false
  return {
    type,
    ...rest,
    function: { ...details, description: details.description ?? undefined, parameters },
  }
}
