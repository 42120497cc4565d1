import type { ChatEntry } from '../../../schema/catalog/entry.ts'
import type { Usage } from '../../../schema/usage.ts'
import type { ChatChunk } from '../../../schema/wire/chat.ts'
import { contentPath, type StreamedChunk } from '../../../schema/wire/text-chunk.ts'
import type { ChatCall, ChatTranslator, SseEvent } from '../../chat-adapter.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { parseObject, unexpectedShape } from '../shared/answer.ts'
import { openTextEvents } from '../shared/text-events.ts'
import { isChunk, readServiceTier, readUsage } from './answer.ts'
import { failureOfErrorBody } from './failure.ts'

/**
 * Opens the translator of a stream. Chunks keep all fields that the vendor adds, except for `usage`, which
 * the edge reports at the end, and the padding `obfuscation`. A stream without any `finish_reason` was cut
 * off.
 */
export function openTranslator(call: ChatCall): ChatTranslator {
  return new ChunkTranslator(call)
}

class ChunkTranslator implements ChatTranslator {
  readonly thinks = undefined
  usage: Usage | undefined
  isUsageFinal = false
  serviceTier: string | undefined
  readonly #entry: ChatEntry
  readonly #model: string
  readonly #choiceCount: number
  readonly #ended = new Set<number>()
  readonly #textEvents = openTextEvents(contentPath)
  #isDone = false

  constructor({ entry, request }: ChatCall) {
    this.#entry = entry
    this.#model = request.model
    this.#choiceCount = request.n ?? 1
  }

  get isFinished(): boolean {
    return this.#ended.size >= this.#choiceCount
  }

  get isOver(): boolean {
    return this.#isDone || this.isUsageFinal
  }

  read({ data }: SseEvent): StreamedChunk[] {
    const unpadded = withoutPadding(data)
    const text = this.#textEvents.read(unpadded)
    if (text) return [text]
    if (data === '[DONE]') {
      this.#isDone = true
      return []
    }
    const event = parseObject(data)
    if (event.error) throw failureOfErrorBody(event)
    const reported = readUsage(event.usage, this.#entry)
    this.serviceTier = readServiceTier(event) ?? this.serviceTier
    this.usage = reported ?? this.usage
    const chunk = this.#readChunk(event)
    this.isUsageFinal ||= reported !== undefined && this.isFinished
    if (!chunk) return []
    if (!reported && isTextOnly(chunk)) this.#textEvents.remember(unpadded, chunk)
    return [chunk]
  }

  #readChunk(event: Record<string, unknown>): ChatChunk | undefined {
    if (!Array.isArray(event.choices) || event.choices.length === 0) return undefined
    // Set to undefined, not deleted: an object with a deleted field is slow to serialise.
    if (event.usage !== undefined) event.usage = undefined
    if (event.obfuscation !== undefined) event.obfuscation = undefined
    if (!isChunk(event)) throw unexpectedShape()
    for (const { index, finish_reason: reason } of event.choices) {
      if (reason && !this.isFinished) this.#ended.add(index)
    }
    event.model = this.#model
    return event
  }

  end(): ChatChunk[] {
    if (this.#ended.size === 0) {
      throw new UpstreamFailure('broken', { message: 'the vendor ended its answer too early' })
    }
    return []
  }
}

/** The padding of an event, which hides the length of its text from observers of the encrypted connection. */
const padding = /,"obfuscation":"\w*"\}$/

function withoutPadding(data: string): string {
  return data.endsWith('"}') ? data.replace(padding, '}') : data
}

/** Whether a chunk contains only text of one choice, which continues. */
function isTextOnly({ choices: [choice, ...others] }: ChatChunk): boolean {
  if (!choice?.delta?.content || choice.finish_reason || choice.logprobs || others.length > 0) return false
  const { content: _, role: __, ...rest } = choice.delta
  return Object.values(rest).every(value => value === null)
}
