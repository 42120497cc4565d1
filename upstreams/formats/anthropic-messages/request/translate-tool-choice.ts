import { isRecord } from '../../../../platform/is-record.ts'
import type { ChatRequest } from '../../../../schema/wire/chat.ts'
import { offeredNames, readAllowed, refuseChoice, requireOffered } from '../../shared/request/name-choice.ts'
import type { Tool, ToolChoice } from '../wire.ts'

interface Offer {
  tools: Tool[]
  tool_choice?: ToolChoice
}

/**
 * The `tool_choice`: a word, one function, or a list of those allowed, which leaves the others out.
 * Throws `invalid_request` for a choice that is none, or of a tool that is not on offer.
 */
export function translateToolChoice(request: ChatRequest, tools: Tool[]): Offer {
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
