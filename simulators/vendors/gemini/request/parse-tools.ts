import { isRecord, type Json } from '../../json.ts'
import type { PromptTool, ToolChoice } from '../../model/prompt.ts'
import { refuse } from '../refuse.ts'
import {
  asFields,
  type Fields,
  readChoice,
  readList,
  readRecord,
  readText,
  readTexts,
  refuseSense,
  refuseUnknownNames,
} from './read-fields.ts'

/** The functions on offer, of all tools together. */
export function parseTools(fields: Fields): PromptTool[] {
  const declared = readList(fields, 'tools').flatMap((value, index) => {
    const tool = asFields(value, `tools[${index}]`)
    refuseUnknownNames(tool, ['functionDeclarations', 'googleSearch', 'codeExecution', 'urlContext'])
    return readList(tool, 'functionDeclarations').map((declaration, position) =>
      parseDeclaration(declaration, `${tool.at}.function_declarations[${position}]`),
    )
  })
  const names = new Set<string>()
  for (const { name } of declared) {
    if (names.has(name)) throw refuse(400, `Duplicate function declaration found: ${name}`)
    names.add(name)
  }
  return declared
}

/** The `toolConfig`: whether a function may or must be called, and which. */
export function parseToolChoice(fields: Fields, tools: readonly PromptTool[]): ToolChoice {
  const config = readRecord(fields, 'toolConfig')
  if (config) refuseUnknownNames(config, ['functionCallingConfig', 'retrievalConfig'])
  const calling = config && readRecord(config, 'functionCallingConfig')
  if (!calling) return { mode: 'auto', names: undefined }
  refuseUnknownNames(calling, ['mode', 'allowedFunctionNames'])
  if (tools.length === 0) throw refuse(400, 'Function calling config is set without function_declarations.')
  const mode = readChoice(calling, 'mode', ['AUTO', 'ANY', 'NONE', 'VALIDATED']) ?? 'AUTO'
  const names = readTexts(calling, 'allowedFunctionNames')
  if (names.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED') {
    throw refuseSense(
      `${calling.at}.allowed_function_names`,
      'allowed_function_names is only supported when mode is ANY or VALIDATED.',
    )
  }
  const stranger = names.find(name => !tools.some(tool => tool.name === name))
  if (stranger !== undefined)
    throw refuseSense(`${calling.at}.allowed_function_names`, `${stranger} is not in function_declarations.`)
  return { mode: modes[mode], names: names.length > 0 ? names : undefined }
}

const modes = { AUTO: 'auto', VALIDATED: 'auto', ANY: 'required', NONE: 'none' } as const
const namePattern = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/

function parseDeclaration(value: Json, at: string): PromptTool {
  const fields = asFields(value, at)
  refuseUnknownNames(fields, [
    'name',
    'description',
    'parameters',
    'parametersJsonSchema',
    'response',
    'responseJsonSchema',
  ])
  const name = readText(fields, 'name') ?? ''
  if (!namePattern.test(name)) {
    throw refuseSense(
      `${at}.name`,
      'Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.',
    )
  }
  return { name, description: readText(fields, 'description') ?? '', schema: readSchema(fields) }
}

function readSchema(fields: Fields): Json {
  const { parameters, parametersJsonSchema } = fields.values
  if (parameters && parametersJsonSchema)
    throw refuseSense(fields.at, 'parameters and parameters_json_schema are mutually exclusive.')
  const schema = parametersJsonSchema ?? parameters ?? { type: 'object', properties: {} }
  if (!isRecord(schema) || String(schema.type).toLowerCase() !== 'object')
    throw refuseSense(`${fields.at}.parameters`, 'schema at top-level must be of type object.')
  return schema
}
