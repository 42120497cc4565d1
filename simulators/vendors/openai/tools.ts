import type { Refusal } from '../../server/exchange.ts'
import { isRecord, type JsonRecord } from '../../server/json.ts'
import type { Prompt, PromptTool } from '../model/prompt.ts'
import { walkSchema } from '../model/walk-schema.ts'
import { refuse } from './errors.ts'
import type { ChatBody, FunctionDetails } from './shape.ts'

type Tools = Pick<Prompt, 'tools' | 'toolChoice' | 'allowsParallelCalls'>

/** Returns the tools, the tool choice, and whether one answer can contain several calls. */
export function readTools({ tools, tool_choice: choice, parallel_tool_calls: inParallel }: ChatBody): Tools {
  if (!tools) {
    if (inParallel != null) throw refuseWithoutTools('parallel_tool_calls', 'tools')
    if ((choice ?? 'none') !== 'none') throw refuseWithoutTools('tool_choice', 'tools')
    return { tools: [], toolChoice: { mode: 'none' }, allowsParallelCalls: false }
  }
  const declared = tools.flatMap((tool, index) =>
    tool.type === 'function' ? readFunction(tool.function, `tools[${index}].function`) : [],
  )
  const find = ({ function: { name } }: { function: { name: string } }): string => {
    if (declared.some(tool => tool.name === name)) return name
    throw refuse(400, `Tool choice '${name}' not found in 'tools' parameter.`, { param: 'tool_choice' })
  }
  const rest = { tools: declared, allowsParallelCalls: inParallel ?? true }
  if (typeof choice !== 'object' || choice === null)
    return { ...rest, toolChoice: { mode: choice ?? 'auto' } }
  if (choice.type === 'custom') return { ...rest, toolChoice: { mode: 'none' } }
  if (choice.type === 'function') return { ...rest, toolChoice: { mode: 'required', names: [find(choice)] } }
  const { mode, tools: allowed } = choice.allowed_tools
  return { ...rest, toolChoice: { mode: mode ?? 'auto', names: allowed?.map(find) } }
}

/** Reads the deprecated fields `functions` and `function_call`, with one call per answer. */
export function readFunctions({ functions, function_call: choice, tools }: ChatBody): Tools {
  if (!functions) throw refuseWithoutTools('function_call', 'functions')
  if (tools)
    throw refuse(400, "'functions' and 'tools' cannot be used in the same request.", { param: 'functions' })
  const declared = functions.map((details, index) => readFunction(details, `functions[${index}]`))
  const rest = { tools: declared, allowsParallelCalls: false }
  if (typeof choice !== 'object' || choice === null)
    return { ...rest, toolChoice: { mode: choice ?? 'auto' } }
  const { name } = choice
  if (declared.some(known => known.name === name))
    return { ...rest, toolChoice: { mode: 'required', names: [name] } }
  throw refuse(400, `Function '${name}' not found in 'functions' parameter.`, { param: 'function_call' })
}

function refuseWithoutTools(param: string, needed: string): Refusal {
  const message = `Invalid value for '${param}': '${param}' is only allowed when '${needed}' are specified.`
  return refuse(400, message, { param })
}

function readFunction({ name, description, parameters, strict }: FunctionDetails, at: string): PromptTool {
  const flaw = parameters && findFlaw(parameters, strict ?? false)
  if (flaw) {
    const message = `Invalid schema for function '${name}': ${flaw}`
    throw refuse(400, message, { param: `${at}.parameters`, code: 'invalid_function_parameters' })
  }
  const schema = parameters ?? { type: 'object', properties: {} }
  return { name, description: description ?? '', schema }
}

/** Returns the flaw of a schema. The root must be an object; in strict mode every object must be closed. */
export function findFlaw(schema: JsonRecord, isStrict: boolean): string | undefined {
  if (schema.type === 'object') return isStrict ? findOpenObject(schema) : undefined
  const got = typeof schema.type === 'string' ? schema.type : 'None'
  return `schema must be a JSON Schema of 'type: "object"', got 'type: "${got}"'.`
}

/** Returns the flaw of the first object that allows additional properties or has optional ones. */
function findOpenObject(root: JsonRecord): string | undefined {
  for (const { schema, path } of walkSchema(root)) {
    if (schema.type !== 'object') continue
    const context = `In context=(${path.map(name => `'${name}'`).join(', ')})`
    if (schema.additionalProperties !== false)
      return `${context}, 'additionalProperties' is required to be supplied and to be false.`
    const required = Array.isArray(schema.required) ? schema.required : []
    const properties = isRecord(schema.properties) ? schema.properties : {}
    const optional = Object.keys(properties).find(name => !required.includes(name))
    if (optional !== undefined)
      return `${context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${optional}'.`
  }
  return undefined
}
