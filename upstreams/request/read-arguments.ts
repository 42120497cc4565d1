import { isRecord } from '../../platform/is-record.ts'
import { Problem } from '../../schema/errors.ts'

/**
 * The arguments of a call that the assistant made, as every vendor wants them: an object. None are `{}`, however a
 * vendor wrote that. Throws `invalid_request`, naming the call at `at`.
 */
export function readArguments(text: string, at: string): Record<string, unknown> {
  if (text.trim() === '') return {}
  const parsed = parseJson(text)
  if (isRecord(parsed)) return parsed
  const message = 'The arguments of a call must be a JSON object.'
  throw new Problem('invalid_request', { param: at, message })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
