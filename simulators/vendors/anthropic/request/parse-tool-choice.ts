import type { Prompt, PromptTool } from '../../model/prompt.ts'
import { refuse } from '../refuse.ts'
import {
  type Fields,
  readBoolean,
  readChoice,
  readRecord,
  readText,
  refuseUnknownNames,
} from './read-fields.ts'

/** Which tools may be called, and whether several at once. */
export function parseToolChoice(
  fields: Fields,
  tools: readonly PromptTool[],
): Pick<Prompt, 'toolChoice' | 'mayCallInParallel'> {
  const choice = readRecord(fields, 'tool_choice')
  if (!choice) return { toolChoice: { mode: 'auto', names: undefined }, mayCallInParallel: true }
  if (tools.length === 0) throw refuse(400, 'tool_choice: may only be specified while providing tools')
  const type = readChoice(choice, 'type', ['auto', 'any', 'tool', 'none'])
  if (type === 'none') {
    refuseUnknownNames(choice, ['type'])
    return { toolChoice: { mode: 'none', names: undefined }, mayCallInParallel: false }
  }
  refuseUnknownNames(choice, ['type', 'disable_parallel_tool_use', ...(type === 'tool' ? ['name'] : [])])
  const mayCallInParallel = !readBoolean(choice, 'disable_parallel_tool_use')
  if (type !== 'tool') {
    return { toolChoice: { mode: type === 'any' ? 'required' : 'auto', names: undefined }, mayCallInParallel }
  }
  const name = readText(choice, 'name')
  if (!tools.some(tool => tool.name === name))
    throw refuse(400, `tool_choice: Tool '${name}' not found in provided tools`)
  return { toolChoice: { mode: 'required', names: [name] }, mayCallInParallel }
}
