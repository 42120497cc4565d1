import { isRecord } from '../../../platform/checks.ts'
import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import type { ChatRequest, Tool as ChatTool, Message } from '../../../schema/wire/chat.ts'
import { invalid } from '../shared/refusals.ts'
import { completeSchema, offeredNames, readAllowed, refuseChoice, requireOffered } from '../shared/tools.ts'
import { toCacheControl } from './caching.ts'
import { requireToolName } from './calls.ts'
import { openStrictTools } from './schema.ts'
import type { Tool, ToolChoice } from './wire.ts'

/**
 * Translates the tools and `tool_choice`. `strict` is sent if the model supports schemas and the tool's schema is
 * within the vendor's limits. Beyond them, the vendor would refuse requests that other vendors accept. Calls in the
 * history need tools: if the request has none, they are declared by name, and none may be called. Throws
 * `unsupported_parameter` and `invalid_request` with the tool.
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
  const called = declareCalledTools(request.messages)
  return called.length > 0 ? { tools: called, tool_choice: { type: 'none' } } : {}
}

function translateFunctions(tools: ChatTool[], { json }: Pick<ChatFlags, 'json'>): Tool[] {
  const isStrictAllowed = openStrictTools()
  const names = new Set<string>()
  return tools.flatMap(({ type, function: details, cache_control }, index) => {
    if (type !== 'function' || !details) return []
    const at = `tools[${index}].function`
    const name = requireToolName(details.name, `${at}.name`)
    if (names.has(name)) {
      throw invalid(`${at}.name`, `Two tools are named ${name}.`)
    }
    names.add(name)
    const input_schema = translateInputSchema(details.parameters, `${at}.parameters`)
    const isStrict = details.strict && json.schema === 'native' && isStrictAllowed(input_schema)
    return {
      name,
      ...(details.description && { description: details.description }),
      input_schema,
      ...(cache_control && { cache_control: toCacheControl(cache_control) }),
      ...(isStrict && { strict: true }),
    }
  })
}

function declareCalledTools(messages: Message[]): Tool[] {
  const names = messages.flatMap(
    ({ tool_calls: calls }) => calls?.flatMap(call => ('function' in call ? call.function.name : [])) ?? [],
  )
  return [...new Set(names)].map(name => ({ name, input_schema: { type: 'object', properties: {} } }))
}

interface ToolsAndChoice {
  tools: Tool[]
  tool_choice?: ToolChoice
}

/**
 * Translates `tool_choice`: a mode, one function, or a list of allowed tools, to which the tools are reduced. Throws
 * `invalid_request` for an invalid choice, and for a tool that is not in the request.
 */
function translateToolChoice(request: ChatRequest, tools: Tool[]): ToolsAndChoice {
  const single = request.parallel_tool_calls === false ? { disable_parallel_tool_use: true } : {}
  const choice = request.tool_choice ?? 'auto'
  if (choice === 'none') return { tools, tool_choice: { type: 'none' } }
  if (choice === 'auto') return { tools, tool_choice: { type: 'auto', ...single } }
  if (choice === 'required') return { tools, tool_choice: { type: 'any', ...single } }
  if (typeof choice === 'string') throw refuseChoice()
  const details: unknown = Reflect.get(choice, choice.type)
  if (choice.type === 'function') {
    return {
      tools,
      tool_choice: { type: 'tool', name: requireOffered(details, offeredNames(tools)), ...single },
    }
  }
  if (choice.type !== 'allowed_tools' || !isRecord(details)) throw refuseChoice()
  const allowed = readAllowed(details.tools, offeredNames(tools))
  return {
    tools: tools.filter(tool => allowed.has(tool.name)),
    tool_choice: { type: details.mode === 'required' ? 'any' : 'auto', ...single },
  }
}

/**
 * Returns the schema of a tool's arguments. Throws `invalid_request` with `at` if it is not the schema of an object,
 * and for `oneOf`, `anyOf` and `allOf` at the top level, which the vendor refuses.
 */
export function translateInputSchema(
  parameters: Record<string, unknown> | null | undefined,
  at: string,
): Tool['input_schema'] {
  const schema = completeSchema(parameters, at)
  const choice = ['oneOf', 'anyOf', 'allOf'].find(word => word in schema)
  if (!choice) return schema
  throw invalid(at, `The model does not take ${choice} at the top of a schema.`)
}
