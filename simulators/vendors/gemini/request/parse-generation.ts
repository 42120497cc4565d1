import type { AnswerFormat, Prompt } from '../../model/prompt.ts'
import type { ModelTraits } from '../model-traits.ts'
import { refuse } from '../refuse.ts'
import { parseThinking } from './parse-thinking.ts'
import {
  type Fields,
  readBoolean,
  readChoice,
  readList,
  readNumber,
  readText,
  readTexts,
  refuseSense,
  refuseUnknownNames,
} from './read-fields.ts'

/** What of the `generationConfig` changes an answer. */
export type Generation = Pick<
  Prompt,
  'maxTokens' | 'stops' | 'candidateCount' | 'seed' | 'answerFormat' | 'reasoningTokens'
> & {
  /** How many likely tokens to show at each place; undefined where none are asked for. */
  readonly topLogprobs: number | undefined
}

const known = [
  'temperature topP topK candidateCount maxOutputTokens stopSequences seed presencePenalty frequencyPenalty',
  'responseLogprobs logprobs responseMimeType responseSchema responseJsonSchema responseModalities thinkingConfig',
]
  .join(' ')
  .split(' ')
const mostStops = 5

/** The `generationConfig`, every value within its bounds. */
export function parseGeneration(
  fields: Fields,
  { traits, hasTools }: { traits: ModelTraits; hasTools: boolean },
): Generation {
  refuseUnknownNames(fields, known)
  readNumber(fields, 'temperature', { least: 0, most: 2 })
  readNumber(fields, 'topP', { least: 0, most: 1 })
  readNumber(fields, 'topK', { least: 1, most: 1000, isWhole: true })
  readNumber(fields, 'presencePenalty', { least: -2, most: 2 })
  readNumber(fields, 'frequencyPenalty', { least: -2, most: 2 })
  readList(fields, 'responseModalities')
  const stops = readTexts(fields, 'stopSequences')
  if (stops.length > mostStops) {
    throw refuseSense('generation_config.stop_sequences', `only ${mostStops} stop sequences are supported.`)
  }
  if (stops.includes('')) throw refuseSense('generation_config.stop_sequences', 'must not be empty.')
  return {
    maxTokens: readNumber(fields, 'maxOutputTokens', { least: 1, most: 65_536, isWhole: true }),
    stops,
    candidateCount: readNumber(fields, 'candidateCount', { least: 1, most: 8, isWhole: true }) ?? 1,
    seed: readNumber(fields, 'seed', { least: -(2 ** 31), most: 2 ** 31 - 1, isWhole: true }),
    answerFormat: parseAnswerFormat(fields, { traits, hasTools }),
    reasoningTokens: parseThinking(fields, traits),
    topLogprobs: parseLogprobs(fields),
  }
}

const anyObject = { type: 'object', properties: { answer: { type: 'string' }, score: { type: 'integer' } } }

function parseAnswerFormat(
  fields: Fields,
  { traits, hasTools }: { traits: ModelTraits; hasTools: boolean },
): AnswerFormat {
  readText(fields, 'responseMimeType')
  const mimeType = readChoice(fields, 'responseMimeType', ['text/plain', 'application/json', 'text/x.enum'])
  const { responseSchema, responseJsonSchema } = fields.values
  if (responseSchema && responseJsonSchema)
    throw refuseSense('generation_config', 'response_schema and response_json_schema are mutually exclusive.')
  const schema = responseJsonSchema ?? responseSchema ?? undefined
  if (mimeType !== 'application/json') {
    if (schema === undefined) return { kind: 'text' }
    throw refuseSense(
      'generation_config.response_json_schema',
      'response_mime_type must be application/json when a schema is set.',
    )
  }
  if (hasTools && !traits.isSigning)
    throw refuse(400, "Function calling with a response mime type: 'application/json' is unsupported")
  return { kind: 'json', schema: schema ?? anyObject }
}

function parseLogprobs(fields: Fields): number | undefined {
  const count = readNumber(fields, 'logprobs', { least: 0, most: 20, isWhole: true })
  if (readBoolean(fields, 'responseLogprobs')) return count ?? 0
  if (count === undefined) return undefined
  throw refuseSense('generation_config.logprobs', 'requires response_logprobs to be true.')
}
