import type { Usage } from '../../../schema/usage.ts'
import type { ChatChunk, ChatRequest } from '../../../schema/wire/chat.ts'
import type { ChatCall, ChatTranslator, SseEvent } from '../../chat-adapter.ts'
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
  return new ChunkTranslator(request)
}

class ChunkTranslator implements ChatTranslator {
  readonly thinks = undefined
  usage: Usage | undefined
  isUsageFinal = false
  readonly #model: string
  readonly #choiceCount: number
  readonly #ended = new Set<number>()
  #isDone = false

  constructor({ model, n }: ChatRequest) {
    this.#model = model
    this.#choiceCount = n ?? 1
  }

  get isFinished(): boolean {
    return this.#ended.size >= this.#choiceCount
  }

  get isOver(): boolean {
    return this.#isDone || this.isUsageFinal
  }

  read({ data }: SseEvent): ChatChunk[] {
    if (data === '[DONE]') {
      this.#isDone = true
      return []
    }
    const chunk = parseObject(data)
    if (chunk.error) throw failureOfErrorBody(chunk)
    const reported = readUsage(chunk.usage)
    this.usage = reported ?? this.usage
    // Set to undefined, not deleted: an object with a deleted field is slow to serialise.
    if (chunk.usage !== undefined) chunk.usage = undefined
    if (chunk.obfuscation !== undefined) chunk.obfuscation = undefined
    const chunks = this.#readChoices(chunk)
    this.isUsageFinal ||= reported !== undefined && this.isFinished
    return chunks
  }

  #readChoices(chunk: Record<string, unknown>): ChatChunk[] {
    if (!Array.isArray(chunk.choices) || chunk.choices.length === 0) return []
    if (!isChunk(chunk)) throw unexpectedShape()
    for (const { index, finish_reason: reason } of chunk.choices) {
      if (reason && !this.isFinished) this.#ended.add(index)
    }
    chunk.model = this.#model
    return [chunk]
  }

  end(): ChatChunk[] {
    if (this.#ended.size === 0) {
      throw new UpstreamFailure('broken', { message: 'the vendor ended its answer too early' })
    }
    return []
  }
}
