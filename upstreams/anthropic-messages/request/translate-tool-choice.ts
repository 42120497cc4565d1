import { isRecord } from '../../../platform/is-record.ts'
import { Problem } from '../../../schema/errors.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
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
    return { tools, tool_choice: { type: 'tool', name: requireOffered(details, tools), ...single } }
  }
  if (choice.type !== 'allowed_tools' || !isRecord(details)) throw refuseChoice()
  const allowed = namesOf(details.tools, tools)
  return {
    tools: tools.filter(tool => allowed.includes(tool.name)),
    tool_choice: { type: details.mode === 'required' ? 'any' : 'auto', ...single },
  }
}

function namesOf(list: unknown, tools: Tool[]): string[] {
  if (!Array.isArray(list) || list.length === 0) throw refuse('allowed_tools must name tools.')
  return list.map(entry => requireOffered(isRecord(entry) ? entry.function : undefined, tools))
}

function requireOffered(details: unknown, tools: Tool[]): string {
  const name = isRecord(details) ? details.name : undefined
  const found = tools.find(tool => tool.name === name)
  if (!found) throw refuse(`tool_choice names a tool that is not among tools: ${String(name)}.`)
  return found.name
}

function refuseChoice(): Problem {
  return refuse('tool_choice must be auto, none, required, a function, or allowed_tools.')
}

function refuse(message: string): Problem {
  return new Problem('invalid_request', { param: 'tool_choice', message })
}
