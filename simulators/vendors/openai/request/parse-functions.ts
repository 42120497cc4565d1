import type { Json } from '../../json.ts'
import type { Prompt, PromptTool, ToolChoice } from '../../model/prompt.ts'
import { refuse } from '../refuse.ts'
import { parseFunction } from './parse-function.ts'
import { asFields, type Fields, readChoice, readList, readText } from './read-fields.ts'

/**
 * The older form of tools: `functions` and `function_call`, of which a model makes one call at a time. Undefined where
 * a request has none.
 */
export function parseFunctions(
  fields: Fields,
): Pick<Prompt, 'tools' | 'toolChoice' | 'mayCallInParallel'> | undefined {
  const functions = readList(fields, 'functions')?.map((value, index) =>
    parseFunction(asFields(value, `functions[${index}]`)),
  )
  const choice = fields.values.function_call ?? undefined
  if (!functions) {
    if (choice === undefined) return undefined
    const message =
      "Invalid value for 'function_call': 'function_call' is only allowed when 'functions' are specified."
    throw refuse(400, message, { param: 'function_call' })
  }
  if (fields.values.tools != null) {
    throw refuse(400, "'functions' and 'tools' cannot be used in the same request.", { param: 'functions' })
  }
  return { tools: functions, toolChoice: parseChoice(choice, functions), mayCallInParallel: false }
}

function parseChoice(value: Json | undefined, functions: readonly PromptTool[]): ToolChoice {
  if (value === undefined) return { mode: 'auto', names: undefined }
  if (typeof value === 'string') {
    const mode = readChoice({ values: { function_call: value }, at: '' }, 'function_call', ['none', 'auto'])
    return { mode: mode ?? 'auto', names: undefined }
  }
  const name = readText(asFields(value, 'function_call'), 'name')
  if (functions.some(known => known.name === name)) return { mode: 'required', names: [name] }
  throw refuse(400, `Function '${name}' not found in 'functions' parameter.`, { param: 'function_call' })
}
