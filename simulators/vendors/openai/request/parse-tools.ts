import type { Json } from '../../json.ts'
import type { Prompt, PromptTool, ToolChoice } from '../../model/prompt.ts'
import { refuse } from '../refuse.ts'
import { parseFunction, readFunctionName } from './parse-function.ts'
import { parseFunctions } from './parse-functions.ts'
import { parseToolChoice } from './parse-tool-choice.ts'
import {
  asFields,
  type Fields,
  readBoolean,
  readChoice,
  readList,
  refuseUnknownNames,
} from './read-fields.ts'
import { refuseMissing } from './refuse-field.ts'

/** The tools on offer, which of them may be called, and whether several at once. */
export function parseTools(fields: Fields): Pick<Prompt, 'tools' | 'toolChoice' | 'mayCallInParallel'> {
  const functions = parseFunctions(fields)
  if (functions) return functions
  const tools = readList(fields, 'tools')?.flatMap(parseTool)
  const inParallel = readBoolean(fields, 'parallel_tool_calls')
  if (!tools) {
    if (inParallel !== undefined) throw refuseWithoutTools('parallel_tool_calls')
    const choice = fields.values.tool_choice ?? 'none'
    if (choice !== 'none') throw refuseWithoutTools('tool_choice')
    return { tools: [], toolChoice: { mode: 'none', names: undefined }, mayCallInParallel: false }
  }
  const toolChoice: ToolChoice = parseToolChoice(fields, { tools })
  return { tools, toolChoice, mayCallInParallel: inParallel ?? true }
}

function refuseWithoutTools(param: string) {
  return refuse(400, `Invalid value for '${param}': '${param}' is only allowed when 'tools' are specified.`, {
    param,
  })
}

const customNames: ReadonlySet<string> = new Set(['name', 'description', 'format'])

/** One tool; nothing for one of free text (`custom`), which is taken and never called. */
function parseTool(value: Json, index: number): PromptTool[] {
  const tool = asFields(value, `tools[${index}]`)
  const type = readChoice(tool, 'type', ['function', 'custom'])
  if (type === undefined) throw refuseMissing(`${tool.at}.type`)
  const details = asFields(tool.values[type], `${tool.at}.${type}`)
  if (type === 'function') return [parseFunction(details)]
  refuseUnknownNames(details, customNames)
  readFunctionName(details)
  return []
}
