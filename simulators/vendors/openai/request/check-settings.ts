import { refuse } from '../refuse.ts'
import {
  type Fields,
  readBoolean,
  readChoice,
  readDecimal,
  readInteger,
  readList,
  readOptionalText,
  readRecord,
  refuseUnknownNames,
} from './read-fields.ts'

const known: ReadonlySet<string> = new Set([
  ...[
    'model',
    'messages',
    'tools',
    'tool_choice',
    'functions',
    'function_call',
    'parallel_tool_calls',
    'response_format',
    'stop',
    'n',
    'seed',
  ],
  ...[
    'temperature',
    'top_p',
    'presence_penalty',
    'frequency_penalty',
    'logit_bias',
    'logprobs',
    'top_logprobs',
  ],
  ...[
    'max_tokens',
    'max_completion_tokens',
    'reasoning_effort',
    'verbosity',
    'modalities',
    'audio',
    'prediction',
  ],
  ...[
    'stream',
    'stream_options',
    'store',
    'metadata',
    'service_tier',
    'user',
    'safety_identifier',
    'moderation',
  ],
  ...['prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options', 'web_search_options'],
])

/** Checks the names of all parameters, and those values that do not change what the simulator answers. */
export function checkSettings(fields: Fields): void {
  refuseUnknownNames(fields, known)
  readDecimal(fields, 'temperature', { least: 0, most: 2 })
  readDecimal(fields, 'top_p', { least: 0, most: 1 })
  readDecimal(fields, 'presence_penalty', { least: -2, most: 2 })
  readDecimal(fields, 'frequency_penalty', { least: -2, most: 2 })
  readList(fields, 'modalities')
  readOptionalText(fields, 'user')
  readOptionalText(fields, 'safety_identifier', { most: 64 })
  readOptionalText(fields, 'prompt_cache_key', { most: 64 })
  readChoice(fields, 'prompt_cache_retention', ['in_memory', '24h'])
  readChoice(fields, 'verbosity', ['low', 'medium', 'high'])
  readChoice(fields, 'service_tier', ['auto', 'default', 'flex', 'scale', 'priority', 'fast'])
  checkLogprobs(fields)
  checkLogitBias(fields)
  checkMetadata(fields)
}

function checkLogprobs(fields: Fields): void {
  const count = readInteger(fields, 'top_logprobs', { least: 0, most: 20 })
  if (readBoolean(fields, 'logprobs') || count === undefined) return
  const message = "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled."
  throw refuse(400, message, { param: 'top_logprobs' })
}

function checkLogitBias(fields: Fields): void {
  const biases = readRecord(fields, 'logit_bias')
  for (const token in biases?.values) readDecimal(biases, token, { least: -100, most: 100 })
}

/** It is of use only with an answer that is stored. */
function checkMetadata(fields: Fields): void {
  const isStored = readBoolean(fields, 'store') ?? false
  const metadata = readRecord(fields, 'metadata')
  if (metadata && !isStored) {
    const message = "The 'metadata' parameter is only allowed when 'store' is enabled."
    throw refuse(400, message, { param: 'metadata' })
  }
  for (const name in metadata?.values) readOptionalText(metadata, name, { most: 512 })
}
