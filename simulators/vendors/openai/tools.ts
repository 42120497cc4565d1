import { isRecord, type JsonRecord } from '../../server/json.ts'
import type { Prompt } from '../model/prompt.ts'
import { walkSchema } from '../model/walk-schema.ts'
import { refuse } from './host.ts'
import type { ChatBody } from './shape.ts'

type Tools = Pick<Prompt, 'tools' | 'toolChoice' | 'allowsParallelCalls'>

/** Returns the tools, the tool choice, and whether one answer can contain several calls. `functions` are the deprecated form. */
export function readTools(chat: ChatBody): Tools {
  const { tools, functions, tool_choice: choice, parallel_tool_calls: inParallel } = chat
  const details = functions ?? tools?.flatMap(tool => (tool.type === 'function' ? tool.function : [])) ?? []
  const declared = details.map(({ name, description, parameters, strict }, index) => {
    const flaw = parameters && findFlaw(parameters, strict)
    if (flaw) {
      const param = functions ? `functions[${index}].parameters` : `tools[${index}].function.parameters`
      const message = `Invalid schema for function '${name}': ${flaw}`
      throw refuse(400, message, { param, code: 'invalid_function_parameters' })
    }
    const schema = parameters ?? { type: 'object', properties: {} }
    return { name, description: description ?? '', schema }
  })
  const find = ({ function: { name } }: { function: { name: string } }): string => {
    if (declared.some(tool => tool.name === name)) return name
    throw refuse(400, `Tool choice '${name}' not found in 'tools' parameter.`, { param: 'tool_choice' })
  }
  const rest = { tools: declared, allowsParallelCalls: !functions && (inParallel ?? true) }
  if (!choice) return { ...rest, toolChoice: { mode: 'auto' } }
  if (choice.type === 'custom') return { ...rest, toolChoice: { mode: 'none' } }
  if (choice.type === 'function') return { ...rest, toolChoice: { mode: 'required', names: [find(choice)] } }
  if (choice.type !== 'allowed_tools') return { ...rest, toolChoice: { mode: choice.type } }
  const { mode, tools: allowed } = choice.allowed_tools
  return { ...rest, toolChoice: { mode, names: allowed.map(find) } }
}

/** Returns the flaw of a schema. The root must be an object; in strict mode every object must be closed. */
export function findFlaw(root: JsonRecord, isStrict: boolean | null | undefined): string | undefined {
  if (root.type !== 'object') return 'schema must be a JSON Schema of \'type: "object"\''
  for (const { schema, path } of isStrict ? walkSchema(root) : []) {
    if (schema.type !== 'object') continue
    const context = `In context=(${path.join(', ')})`
    if (schema.additionalProperties !== false) return `${context}, 'additionalProperties' must be false.`
    const required = Array.isArray(schema.required) ? schema.required : []
    const properties = isRecord(schema.properties) ? Object.keys(schema.properties) : []
    if (properties.some(name => !required.includes(name)))
      return `${context}, 'required' must include every key in properties.`
  }
  return undefined
}
