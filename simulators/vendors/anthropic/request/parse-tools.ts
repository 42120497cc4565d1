import type { Json } from '../../json.ts'
import type { PromptTool } from '../../model/prompt.ts'
import { refuse } from '../refuse.ts'
import { checkCompilable } from './check-compilable.ts'
import { checkSchema } from './check-schema.ts'
import {
  asFields,
  type Fields,
  readBoolean,
  readList,
  readOptionalText,
  readText,
  refuseField,
  refuseUnknownNames,
} from './read-fields.ts'
import { readMark } from './read-mark.ts'

export interface OfferedTool extends PromptTool {
  readonly isMarked: boolean
  readonly isStrict: boolean
}

const known = [
  'type',
  'name',
  'description',
  'input_schema',
  'strict',
  'cache_control',
  'eager_input_streaming',
  'input_examples',
  'defer_loading',
  'allowed_callers',
]
const namePattern = /^[a-zA-Z0-9_-]{1,128}$/

/** The tools on offer. Tools of the vendor's own are not simulated. */
export function parseTools(fields: Fields): OfferedTool[] {
  const tools = (readList(fields, 'tools') ?? []).map(parseTool)
  const names = tools.map(tool => tool.name)
  if (new Set(names).size < names.length) throw refuse(400, 'tools: Tool names must be unique.')
  const strict = tools.filter(tool => tool.isStrict)
  checkCompilable(strict.map(({ schema }, index) => ({ schema, at: `tools.${index}.custom.input_schema` })))
  return tools
}

function parseTool(value: Json, index: number): OfferedTool {
  const tool = asFields(value, `tools.${index}`)
  const { type = 'custom' } = tool.values
  if (type !== 'custom' && type !== null)
    throw refuseField(`${tool.at}.type`, `the simulator has no tool ${JSON.stringify(type)}`)
  const custom = { ...tool, at: `${tool.at}.custom` }
  refuseUnknownNames(custom, known)
  const name = readText(custom, 'name')
  if (!namePattern.test(name))
    throw refuseField(`${custom.at}.name`, `String should match pattern '${namePattern.source}'`)
  return {
    name,
    description: readOptionalText(custom, 'description') ?? '',
    schema: readInputSchema(custom),
    isMarked: readMark(custom),
    isStrict: readBoolean(custom, 'strict') ?? false,
  }
}

function readInputSchema(tool: Fields): Json {
  const { values: schema, at } = asFields(tool.values.input_schema, `${tool.at}.input_schema`)
  if (schema.type !== 'object')
    throw refuseField(`${at}.type`, schema.type === undefined ? 'Field required' : "Input should be 'object'")
  if (['oneOf', 'allOf', 'anyOf'].some(word => word in schema))
    throw refuseField(at, 'input_schema does not support oneOf, allOf, or anyOf at the top level')
  if (readBoolean(tool, 'strict')) checkSchema(schema, at)
  return schema
}
