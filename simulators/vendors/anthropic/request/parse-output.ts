import type { AnswerFormat, Prompt } from '../../model/prompt.ts'
import { refuse } from '../refuse.ts'
import { checkCompilable } from './check-compilable.ts'
import { checkSchema } from './check-schema.ts'
import {
  asFields,
  type Fields,
  readChoice,
  readNullableRecord,
  readNumber,
  readRecord,
  refuseField,
  refuseUnknownNames,
} from './read-fields.ts'

const tokensOfEffort = { low: 32, medium: 64, high: 128, xhigh: 256, max: 512 }
const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const

type Output = Pick<Prompt, 'reasoningTokens' | 'answerFormat'>

/** How long the model thinks, and in which format it answers. Models think when an effort is named. */
export function parseOutput(
  fields: Fields,
  { isRecent, isForced, maxTokens }: { isRecent: boolean; isForced: boolean; maxTokens: number },
): Output {
  const thinking = readRecord(fields, 'thinking')
  const kind = thinking && readThinking(thinking, { isRecent, maxTokens })
  if (isForced && (kind === 'enabled' || kind === 'adaptive'))
    throw refuse(400, 'Thinking may not be enabled when tool_choice forces tool use.')
  const config = readRecord(fields, 'output_config')
  if (!config) return { reasoningTokens: kind === 'enabled' ? 64 : 0, answerFormat: { kind: 'text' } }
  refuseUnknownNames(config, ['effort', 'format'])
  const effort = (config.values.effort ?? undefined) && readChoice(config, 'effort', efforts)
  if (effort && !isRecent) throw refuse(400, 'This model does not support the effort parameter.')
  return {
    reasoningTokens: effort && kind !== 'disabled' ? tokensOfEffort[effort] : 0,
    answerFormat: readFormat(config, isRecent),
  }
}

function readThinking(thinking: Fields, { isRecent, maxTokens }: { isRecent: boolean; maxTokens: number }) {
  const kind = readChoice(thinking, 'type', ['enabled', 'adaptive', 'disabled', 'between_tools'])
  if (kind !== 'enabled') return kind
  if (isRecent) throw refuseField('thinking.type', '"enabled" is not supported by this model: use "adaptive"')
  const budget = readNumber(thinking, 'budget_tokens', { least: 1024, isWhole: true })
  if (budget === undefined) throw refuseField('thinking.budget_tokens', 'Field required')
  if (budget >= maxTokens) throw refuse(400, '`max_tokens` must be greater than `thinking.budget_tokens`.')
  return kind
}

function readFormat(config: Fields, isRecent: boolean): AnswerFormat {
  const format = readNullableRecord(config, 'format')
  if (!format) return { kind: 'text' }
  if (!isRecent) throw refuse(400, 'output_config.format: this model does not support output formats')
  refuseUnknownNames(format, ['type', 'schema'])
  readChoice(format, 'type', ['json_schema'])
  const { values: schema } = asFields(format.values.schema, 'output_config.format.schema')
  checkSchema(schema, 'output_config.format.schema')
  checkCompilable([{ schema, at: 'output_config.format.schema' }])
  return { kind: 'json', schema }
}
