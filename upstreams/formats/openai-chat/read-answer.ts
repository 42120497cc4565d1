import type { ChatAnswer, ChatCall } from '../../chat-adapter.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { parseObject } from '../shared/answer/parse-object.ts'
import { oddShape } from '../shared/answer/read-shape.ts'
import { isCompletion } from './check-shape.ts'
import { failureOfErrorBody } from './read-failure.ts'
import { readUsage } from './read-usage.ts'

/** A whole answer. Throws `broken` when it is no JSON, has no choice, or one of another shape. */
export function readAnswer(body: Buffer, call: ChatCall): ChatAnswer {
  const completion = parseObject(body.toString())
  if (completion.error) throw failureOfErrorBody(completion)
  if (!Array.isArray(completion.choices) || completion.choices.length === 0) {
    throw new UpstreamFailure('broken', { message: 'the vendor answered without a choice' })
  }
  if (!isCompletion(completion)) throw oddShape()
  completion.model = call.request.model
  return { completion, usage: readUsage(completion.usage) }
}
