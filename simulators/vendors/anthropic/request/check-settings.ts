import type { Version } from '../read-version.ts'
import { refuse } from '../refuse.ts'
import {
  type Fields,
  readBoolean,
  readChoice,
  readList,
  readNumber,
  readRecord,
  refuseField,
  refuseUnknownNames,
} from './read-fields.ts'

const known = [
  'model',
  'max_tokens',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'stop_sequences',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'metadata',
  'service_tier',
  'thinking',
  'output_config',
  'cache_control',
  'container',
  'inference_geo',
  'speed',
  'diagnostics',
]

/** Checks the names of all parameters, and those values that do not change what the simulator answers. */
export function checkSettings(
  fields: Fields,
  { version, isRecent }: { version: Version; isRecent: boolean },
): void {
  refuseUnknownNames(fields, known)
  checkSampling(fields, version === '2023-06-01' && !isRecent)
  readBoolean(fields, 'stream')
  const metadata = readRecord(fields, 'metadata')
  if (metadata) refuseUnknownNames(metadata, ['user_id'])
  if (fields.values.service_tier !== undefined) readChoice(fields, 'service_tier', ['auto', 'standard_only'])
}

function checkSampling(fields: Fields, isTaken: boolean): void {
  for (const name of ['temperature', 'top_p', 'top_k']) {
    if (!isTaken && fields.values[name] !== undefined)
      throw refuseField(name, 'sampling parameters are not supported by this model and version')
  }
  const temperature = readNumber(fields, 'temperature', { least: 0, most: 1 })
  const topP = readNumber(fields, 'top_p', { least: 0, most: 1 })
  readNumber(fields, 'top_k', { least: 0, isWhole: true })
  if (temperature !== undefined && topP !== undefined)
    throw refuse(
      400,
      '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
    )
}

/** Where the model is to stop. */
export function readStops(fields: Fields): string[] {
  return (readList(fields, 'stop_sequences') ?? []).map((stop, index) => {
    if (typeof stop !== 'string')
      throw refuseField(`stop_sequences.${index}`, 'Input should be a valid string')
    if (stop.trim() === '')
      throw refuse(400, 'stop_sequences: each stop sequence must contain non-whitespace')
    return stop
  })
}
