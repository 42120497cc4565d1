import type { ChatCompletion } from '../../schema/wire/chat.ts'
import type { ChatAnswer, ChatCall } from '../chat-adapter.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { failureOfErrorBody } from './read-failure.ts'
import { readUsage } from './read-usage.ts'

/** A whole answer. Throws `broken` when it is no JSON or has no choice. */
export function readAnswer(body: Buffer, call: ChatCall): ChatAnswer {
  const completion = parse(body)
  if ('error' in completion && completion.error) throw failureOfErrorBody(completion)
  if (!Array.isArray(completion.choices) || completion.choices.length === 0) {
    throw new UpstreamFailure('broken', { message: 'the vendor answered without a choice' })
  }
  completion.model = call.request.model
  return { completion, usage: readUsage(completion.usage) }
}

function parse(body: Buffer): ChatCompletion {
  try {
    const value: unknown = JSON.parse(body.toString())
    if (typeof value === 'object' && value !== null) return value as ChatCompletion
  } catch {
    // said below
  }
  throw new UpstreamFailure('broken', { message: 'the vendor answered with something other than JSON' })
}
