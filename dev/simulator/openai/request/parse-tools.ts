import type { Json } from '../../json.ts'
import type { Prompt, PromptTool, ToolChoice } from '../../model/prompt.ts'
import { refuse } from '../refuse.ts'
import { checkSchema } from './check-schema.ts'
import { parseToolChoice } from './parse-tool-choice.ts'
import {
  asFields,
  type Fields,
  readBoolean,
  readChoice,
  readList,
  readOptionalText,
  readRecord,
  readText,
} from './read-fields.ts'
import { refuseMissing } from './refuse-field.ts'

/** The tools on offer, which of them may be called, and whether several at once. */
export function parseTools(fields: Fields): Pick<Prompt, 'tools' | 'toolChoice' | 'mayCallInParallel'> {
  const tools = readList(fields, 'tools')?.map(parseTool)
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

const namePattern = /^[a-zA-Z0-9_-]+$/

function parseTool(value: Json, index: number): PromptTool {
  const at = `tools[${index}]`
  const tool = asFields(value, at)
  if (readChoice(tool, 'type', ['function']) === undefined) throw refuseMissing(`${at}.type`)
  const details = asFields(tool.values.function, `${at}.function`)
  const name = readText(details, 'name')
  readOptionalText(details, 'name', { most: 64 })
  if (!namePattern.test(name)) {
    const param = `${at}.function.name`
    const message = `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${namePattern.source}'.`
    throw refuse(400, message, { param, code: 'invalid_value' })
  }
  return {
    name,
    description: readOptionalText(details, 'description') ?? '',
    schema: parseParameters(details, name),
  }
}

function parseParameters(details: Fields, name: string): Json {
  const schema = readRecord(details, 'parameters')?.values
  if (!schema) return { type: 'object', properties: {} }
  const param = `${details.at}.parameters`
  checkSchema(schema, {
    isStrict: readBoolean(details, 'strict') ?? false,
    refuse: complaint =>
      refuse(400, `Invalid schema for function '${name}': ${complaint}`, {
        param,
        code: 'invalid_function_parameters',
      }),
  })
  return schema
}
