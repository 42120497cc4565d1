import type { ChatFlags } from '../../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../../schema/errors.ts'
import type { ChatRequest, Tool as ChatTool, Message } from '../../../../schema/wire/chat.ts'
import type { Tool, ToolChoice } from '../wire.ts'
import { toMark } from './mark-cache.ts'
import { openStrictness } from './measure-schema.ts'
import { requireToolName } from './require-tool-name.ts'
import { translateInputSchema } from './translate-input-schema.ts'
import { translateToolChoice } from './translate-tool-choice.ts'

/**
 * The tools on offer and which of them may be called. `strict` is told where the model keeps schemas and the vendor can
 * hold to the tool's: beyond its limits it would refuse requests that other vendors take. Calls in the history need
 * tools to stand for: without any on offer they are declared by name, and none may be called.
 * Throws `unsupported_parameter` and `invalid_request`, naming the tool.
 */
export function translateTools(
  request: ChatRequest,
  answerTool: Tool | undefined,
  chat: Pick<ChatFlags, 'json'>,
): { tools?: Tool[]; tool_choice?: ToolChoice } {
  if (answerTool)
    return {
      tools: [answerTool],
      tool_choice: { type: 'tool', name: answerTool.name, disable_parallel_tool_use: true },
    }
  const offered = translateFunctions(request.tools ?? [], chat)
  if (offered.length > 0) return translateToolChoice(request, offered)
  const called = declareCalled(request.messages)
  return called.length > 0 ? { tools: called, tool_choice: { type: 'none' } } : {}
}

function translateFunctions(tools: ChatTool[], { json }: Pick<ChatFlags, 'json'>): Tool[] {
  const mayBeStrict = openStrictness()
  const names = new Set<string>()
  return tools.flatMap(({ type, function: details, cache_control }, index) => {
    if (type !== 'function' || !details) return []
    const at = `tools[${index}].function`
    const name = requireToolName(details.name, `${at}.name`)
    if (names.has(name)) {
      throw new Problem('invalid_request', { param: `${at}.name`, message: `Two tools are named ${name}.` })
    }
    names.add(name)
    const input_schema = translateInputSchema(details.parameters, `${at}.parameters`)
    return {
      name,
      description: details.description || undefined,
      input_schema,
      cache_control: cache_control ? toMark(cache_control) : undefined,
      strict: details.strict && json.schema === 'native' && mayBeStrict(input_schema) ? true : undefined,
    }
  })
}

function declareCalled(messages: Message[]): Tool[] {
  const names = messages.flatMap(
    ({ tool_calls: calls }) => calls?.flatMap(call => ('function' in call ? call.function.name : [])) ?? [],
  )
  return [...new Set(names)].map(name => ({ name, input_schema: { type: 'object', properties: {} } }))
}
