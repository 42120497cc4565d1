import type { AnswerFormat, PromptMessage } from '../../model/prompt.ts'
import { refuse } from '../refuse.ts'
import { checkSchema } from './check-schema.ts'
import { asFields, type Fields, readBoolean, readChoice, readRecord, readText } from './read-fields.ts'
import { refuseMissing } from './refuse-field.ts'

const anyObject = { type: 'object', properties: { answer: { type: 'string' }, score: { type: 'integer' } } }

/** The `response_format`: text, any JSON object, or JSON of a schema. */
export function parseAnswerFormat(
  fields: Fields,
  { messages }: { messages: readonly PromptMessage[] },
): AnswerFormat {
  const format = readRecord(fields, 'response_format')
  if (!format) return { kind: 'text' }
  const type = readChoice(format, 'type', ['json_object', 'json_schema', 'text'])
  if (type === undefined) throw refuseMissing('response_format.type')
  if (type === 'text') return { kind: 'text' }
  if (type === 'json_schema') return parseSchemaFormat(format)
  if (!messages.some(message => /json/i.test(message.text))) {
    const message =
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
    throw refuse(400, message, { param: 'messages' })
  }
  return { kind: 'json', schema: anyObject }
}

function parseSchemaFormat(format: Fields): AnswerFormat {
  const details = asFields(format.values.json_schema, 'response_format.json_schema')
  const name = readText(details, 'name')
  const schema = readRecord(details, 'schema')?.values
  if (!schema) return { kind: 'json', schema: anyObject }
  checkSchema(schema, {
    isStrict: readBoolean(details, 'strict') ?? false,
    refuse: complaint =>
      refuse(400, `Invalid schema for response_format '${name}': ${complaint}`, { param: 'response_format' }),
  })
  return { kind: 'json', schema }
}
