import type { Json } from '../../json.ts'
import type { PromptTool, ToolChoice } from '../../model/prompt.ts'
import { refuse } from '../refuse.ts'
import { asFields, type Fields, readChoice, readList, readText } from './read-fields.ts'
import { refuseMissing } from './refuse-field.ts'

/** The `tool_choice`: a word, one function, or a list of those allowed. Each must be among the tools. */
export function parseToolChoice(fields: Fields, { tools }: { tools: readonly PromptTool[] }): ToolChoice {
  const value = fields.values.tool_choice ?? 'auto'
  if (typeof value === 'string') {
    const mode = readChoice({ values: { tool_choice: value }, at: '' }, 'tool_choice', [
      'none',
      'auto',
      'required',
    ])
    return { mode: mode ?? 'auto', names: undefined }
  }
  const choice = asFields(value, 'tool_choice')
  const type = readChoice(choice, 'type', ['function', 'allowed_tools', 'custom'])
  if (type === undefined) throw refuseMissing('tool_choice.type')
  if (type === 'custom') {
    readText(asFields(choice.values.custom, 'tool_choice.custom'), 'name')
    return { mode: 'none', names: undefined }
  }
  if (type === 'function') return { mode: 'required', names: [readName(value, { tools, at: 'tool_choice' })] }

  const allowed = asFields(choice.values.allowed_tools, 'tool_choice.allowed_tools')
  const mode = readChoice(allowed, 'mode', ['auto', 'required'])
  const names = readList(allowed, 'tools')?.map((entry, index) =>
    readName(entry, { tools, at: `tool_choice.allowed_tools.tools[${index}]` }),
  )
  return { mode: mode ?? 'auto', names }
}

function readName(value: Json, { tools, at }: { tools: readonly PromptTool[]; at: string }): string {
  const name = readText(asFields(asFields(value, at).values.function, `${at}.function`), 'name')
  if (tools.some(tool => tool.name === name)) return name
  throw refuse(400, `Tool choice '${name}' not found in 'tools' parameter.`, { param: 'tool_choice' })
}
