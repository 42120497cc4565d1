import { isRecord } from '../../../platform/is-record.ts'
import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../schema/errors.ts'
import type { ChatRequest, Tool as ChatTool, Message } from '../../../schema/wire/chat.ts'
import { completeSchema, offeredNames, readAllowed, refuseChoice, requireOffered } from '../shared/tools.ts'
import { toMark } from './caching.ts'
import { openStrictness } from './schema.ts'
import type { Tool, ToolChoice } from './wire.ts'

/**
 * The tools on offer and which of them may be called. `strict` is told where the model keeps schemas and the
 * vendor can hold to the tool's: beyond its limits it would refuse requests that other vendors take. Calls in
 * the history need tools to stand for: without any on offer they are declared by name, and none may be
 * called. Throws `unsupported_parameter` and `invalid_request`, naming the tool.
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

interface Offer {
  tools: Tool[]
  tool_choice?: ToolChoice
}

/**
 * The `tool_choice`: a word, one function, or a list of those allowed, which leaves the others out.
 * Throws `invalid_request` for a choice that is none, or of a tool that is not on offer.
 */
function translateToolChoice(request: ChatRequest, tools: Tool[]): Offer {
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
 * The schema of a tool's arguments. Throws `invalid_request`, naming `at`, for what is no object, and for
 * choices at the top, which the vendor refuses.
 */
export function translateInputSchema(
  parameters: Record<string, unknown> | null | undefined,
  at: string,
): Tool['input_schema'] {
  const schema = completeSchema(parameters, at)
  const choice = ['oneOf', 'anyOf', 'allOf'].find(word => word in schema)
  if (!choice) return schema
  const message = `The model does not take ${choice} at the top of a schema.`
  throw new Problem('invalid_request', { param: at, message })
}

const pattern = /^[a-zA-Z0-9_-]{1,128}$/

/** The name, if the vendor takes it. Throws `invalid_request`, naming `param`. */
export function requireToolName(name: string, param: string): string {
  if (pattern.test(name)) return name
  const message = 'A tool name has 1 to 128 letters, digits, _ and -.'
  throw new Problem('invalid_request', { param, message })
}
