import type { Usage } from '../../../schema/usage.ts'
import type { ChatCall, ChatTranslator } from '../../chat-adapter.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { parseObject, unexpectedShape } from '../shared/answer.ts'
import { isChunk, readUsage } from './answer.ts'
import { failureOfErrorBody } from './failure.ts'

/**
 * Opens the translator of a stream. Chunks keep all fields that the vendor adds, except for `usage`, which
 * the edge reports at the end, and the padding `obfuscation`. A stream without any `finish_reason` was cut
 * off.
 */
export function openTranslator({ request }: ChatCall): ChatTranslator {
  const choiceCount = request.n ?? 1
  const ended = new Set<number>()
  let usage: Usage | undefined
  let isUsageFinal = false
  let isDone = false

  return {
    read({ data }) {
      if (data === '[DONE]') {
        isDone = true
        return []
      }
      const chunk = parseObject(data)
      if (chunk.error) throw failureOfErrorBody(chunk)
      const reported = readUsage(chunk.usage)
      usage = reported ?? usage
      // Set to undefined, not deleted: an object with a deleted field is slow to serialise.
      if (chunk.usage !== undefined) chunk.usage = undefined
      if (chunk.obfuscation !== undefined) chunk.obfuscation = undefined
      if (!Array.isArray(chunk.choices) || chunk.choices.length === 0) {
        isUsageFinal ||= reported !== undefined && ended.size >= choiceCount
        return []
      }
      if (!isChunk(chunk)) throw unexpectedShape()
      for (const { index, finish_reason: reason } of chunk.choices) {
        if (reason && ended.size < choiceCount) ended.add(index)
      }
      isUsageFinal ||= reported !== undefined && ended.size >= choiceCount
      chunk.model = request.model
      return [chunk]
    },
    end() {
      if (ended.size === 0)
        throw new UpstreamFailure('broken', { message: 'the vendor ended its answer too early' })
      return []
    },
    get isFinished() {
      return ended.size >= choiceCount
    },
    get isOver() {
      return isDone || isUsageFinal
    },
    get usage() {
      return usage
    },
    get isUsageFinal() {
      return isUsageFinal
    },
    thinks: undefined,
  }
}
