import type { Prompt } from '../../model/prompt.ts'
import type { ModelTraits } from '../model-traits.ts'
import { refuse } from '../refuse.ts'
import { type Fields, readChoice, readInteger, readList, readOptionalText } from './read-fields.ts'
import { refuseType } from './refuse-field.ts'

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
const tokensOfEffort = { none: 0, minimal: 16, low: 32, medium: 64, high: 128, xhigh: 256, max: 512 }
const mostStops = 4

type Limits = Pick<Prompt, 'maxTokens' | 'stops' | 'candidateCount' | 'reasoningTokens'>

/** How long, how often and after how much reasoning the model is to answer. */
export function parseLimits(fields: Fields, { traits }: { traits: ModelTraits }): Limits {
  const effort = readChoice(fields, 'reasoning_effort', efforts)
  return {
    maxTokens: parseMaxTokens(fields, traits),
    stops: parseStops(fields),
    candidateCount: readInteger(fields, 'n', { least: 1, most: 128 }) ?? 1,
    reasoningTokens: tokensOfEffort[effort ?? (traits.thinksUnasked ? 'medium' : 'none')],
  }
}

function parseMaxTokens(fields: Fields, { isReasoning }: ModelTraits): number | undefined {
  const older = readInteger(fields, 'max_tokens', { least: 1 })
  const newer = readInteger(fields, 'max_completion_tokens', { least: 1 })
  if (older === undefined) return newer
  if (newer !== undefined) {
    const message = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
    throw refuse(400, message, { param: 'max_tokens', code: 'invalid_parameter_combination' })
  }
  if (isReasoning) {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    throw refuse(400, message, { param: 'max_tokens', code: 'unsupported_parameter' })
  }
  return older
}

function parseStops(fields: Fields): string[] {
  if (typeof fields.values.stop === 'string') return [readOptionalText(fields, 'stop') ?? ''].filter(Boolean)
  const stops = readList(fields, 'stop') ?? []
  if (stops.length > mostStops) {
    const message = `Invalid 'stop': array too long. Expected an array with maximum length ${mostStops}, but got an array with length ${stops.length} instead.`
    throw refuse(400, message, { param: 'stop', code: 'array_above_max_length' })
  }
  return stops
    .map((stop, index) => {
      if (typeof stop !== 'string') throw refuseType(`stop[${index}]`, 'a string', stop)
      return stop
    })
    .filter(Boolean)
}
