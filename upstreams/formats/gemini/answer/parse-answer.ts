import { isRecord } from '../../../../platform/is-record.ts'
import { UpstreamFailure } from '../../../upstream-failure.ts'
import { parseJson } from '../../shared/answer/parse-json.ts'
import type { GenerateAnswer } from '../wire.ts'
import { failureOfError } from './read-failure.ts'

/** An answer, or one frame of it. Throws UpstreamFailure where it is none, or is an error in an answer's place. */
export function parseAnswer(text: string): GenerateAnswer {
  const value = parse(text)
  const answer: unknown = Array.isArray(value) ? value[0] : value
  if (!isAnswer(answer)) {
    throw new UpstreamFailure('broken', {
      message: 'the vendor answered with something other than an object',
    })
  }
  if (answer.error) throw failureOfError(answer.error)
  return answer
}

function isAnswer(value: unknown): value is GenerateAnswer {
  return isRecord(value)
}

function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    throw new UpstreamFailure('broken', { message: 'the vendor answered with something other than JSON' })
  }
}
