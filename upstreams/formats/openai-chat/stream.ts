import type { Usage } from '../../../schema/usage.ts'
import type { ChatCall, ChatTranslator } from '../../chat-adapter.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { oddShape, parseObject } from '../shared/answer.ts'
import { isChunk, readUsage } from './answer.ts'
import { failureOfErrorBody } from './failure.ts'

/**
 * Reads the vendor's stream. Chunks keep every field that the vendor adds, but for usage, which the system
 * tells at the end, and the padding `obfuscation`. A stream without `finish_reason` was cut: that is a
 * failure.
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
      const told = readUsage(chunk.usage)
      usage = told ?? usage
      // Set, not deleted: an object that lost a field is slow to write.
      if (chunk.usage !== undefined) chunk.usage = undefined
      if (chunk.obfuscation !== undefined) chunk.obfuscation = undefined
      if (!Array.isArray(chunk.choices) || chunk.choices.length === 0) {
        isUsageFinal ||= told !== undefined && ended.size >= choiceCount
        return []
      }
      if (!isChunk(chunk)) throw oddShape()
      for (const { index, finish_reason: reason } of chunk.choices) {
        if (reason && ended.size < choiceCount) ended.add(index)
      }
      isUsageFinal ||= told !== undefined && ended.size >= choiceCount
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
