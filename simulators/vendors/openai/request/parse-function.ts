import type { Json } from '../../json.ts'
import type { PromptTool } from '../../model/prompt.ts'
import { refuse } from '../refuse.ts'
import { checkSchema } from './check-schema.ts'
import { type Fields, readBoolean, readOptionalText, readRecord, readText } from './read-fields.ts'

const namePattern = /^[a-zA-Z0-9_-]+$/

/** A function that a model may call, of `tools` or of `functions`. */
export function parseFunction(details: Fields): PromptTool {
  const name = readFunctionName(details)
  return {
    name,
    description: readOptionalText(details, 'description') ?? '',
    schema: parseParameters(details, name),
  }
}

/** The name of a function, on offer or called: 64 characters at most, of those that the vendor allows. */
export function readFunctionName(details: Fields): string {
  const name = readText(details, 'name')
  readOptionalText(details, 'name', { most: 64 })
  if (namePattern.test(name)) return name
  const param = `${details.at}.name`
  const message = `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${namePattern.source}'.`
  throw refuse(400, message, { param, code: 'invalid_value' })
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
