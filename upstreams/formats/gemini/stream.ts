import { systemIds } from '../../../platform/ids.ts'
import type { Usage } from '../../../schema/usage.ts'
import type { ChatChunk, ChunkChoice, ChunkDelta, FinishReason } from '../../../schema/wire/chat.ts'
import type { ChatCall, ChatTranslator, SseEvent } from '../../chat-adapter.ts'
import type { Target } from '../../targets.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { guardShape } from '../shared/answer.ts'
import { explainBlock, parseAnswer, readUsage } from './answer.ts'
import { originOf } from './calls.ts'
import { presentLogprobs, readFinish, readParts } from './candidate.ts'
import type { Candidate, GenerateAnswer } from './wire.ts'

/**
 * Opens the translator of a stream. Each event is an answer with a part of the text. A choice without a finish reason was
 * cut off, which is a failure. A failed choice is empty, which is a failure unless another choice succeeded.
 */
export function openTranslator(call: ChatCall, target: Target): ChatTranslator {
  return new AnswerTranslator(call, target)
}

class AnswerTranslator implements ChatTranslator {
  readonly thinks = false // every event has usage, which counts the thinking
  usage: Usage | undefined
  isUsageFinal = false
  readonly #options: { origin: string; signs: boolean }
  readonly #choiceCount: number
  readonly #head: Pick<ChatChunk, 'id' | 'object' | 'created' | 'model'>
  readonly #choices = new Map<number, StreamedChoice>()
  #isBlocked = false
  #failureReason = ''

  constructor(call: ChatCall, target: Target) {
    const created = Math.floor(Date.now() / 1000)
    this.#options = { origin: originOf(call, target), signs: call.entry.chat.reasoning?.signatures === true }
    this.#choiceCount = call.request.n ?? 1
    this.#head = { id: '', object: 'chat.completion.chunk', created, model: call.request.model }
  }

  get isFinished(): boolean {
    if (this.#isBlocked && this.#choices.size === 0) return true
    if (this.#choices.size < this.#choiceCount) return false
    for (const { finish } of this.#choices.values()) if (!finish) return false
    return true
  }

  get isOver(): boolean {
    return this.isUsageFinal
  }

  read({ data }: SseEvent): ChatChunk[] {
    if (data === '') return []
    return guardShape(() => this.#readEvent(data)).map(choice => this.#chunkOf(choice))
  }

  end(): ChatChunk[] {
    const all = [...this.#choices.values()]
    if (this.#isBlocked && all.length === 0) return []
    if (all.length === 0 || all.some(({ finish }) => !finish)) {
      throw new UpstreamFailure('broken', { message: 'the vendor ended its answer too early' })
    }
    const failed = all.filter(({ finish }) => finish === 'failed')
    if (failed.length === all.length) {
      throw new UpstreamFailure('broken', { message: `the model gave up: ${this.#failureReason}` })
    }
    return failed.map(choice => this.#chunkOf(choice.end()))
  }

  #readEvent(data: string): ChunkChoice[] {
    const answer = parseAnswer(data)
    this.#head.id ||= answer.responseId ? `chatcmpl-${answer.responseId}` : systemIds.tagged('chatcmpl-')
    this.usage = readUsage(answer.usageMetadata) ?? this.usage // totals so far, which must not be summed
    const added = (answer.candidates ?? []).flatMap((candidate, at) => this.#readCandidate(candidate, at))
    const blocked = this.#readBlock(answer)
    this.isUsageFinal ||= answer.usageMetadata !== undefined && this.isFinished
    return [...added, ...blocked]
  }

  #readCandidate(candidate: Candidate, position: number): ChunkChoice[] {
    const index = candidate.index ?? position
    const choice = this.#choices.get(index) ?? new StreamedChoice(index, this.#options)
    this.#choices.set(index, choice)
    const added = choice.read(candidate)
    if (choice.finish === 'failed') {
      this.#failureReason = `${candidate.finishReason} ${candidate.finishMessage ?? ''}`.trimEnd()
    }
    return added
  }

  #readBlock({ promptFeedback }: GenerateAnswer): ChunkChoice[] {
    const mayBeBlocked = this.#choices.size === 0 && !this.#isBlocked
    const refusal = mayBeBlocked ? explainBlock(promptFeedback) : undefined
    if (!refusal) return []
    this.#isBlocked = true
    return blockedChoice(refusal)
  }

  #chunkOf(choice: ChunkChoice): ChatChunk {
    return { ...this.#head, choices: [choice] }
  }
}

/** Returns the choice for a blocked prompt, which contains the refusal. */
function blockedChoice(refusal: string): ChunkChoice[] {
  const delta = { role: 'assistant', content: '', refusal } as const
  return [{ index: 0, logprobs: null, delta, finish_reason: 'content_filter' }]
}

/** One choice of a streamed answer. Its first chunk contains the role. */
class StreamedChoice {
  /** Undefined until the choice ends. `failed` if the model could not continue and had generated nothing. */
  finish: ReturnType<typeof readFinish> | undefined
  readonly #index: number
  readonly #options: { origin: string; signs: boolean }
  #hasRole = false
  #hasText = false
  #callCount = 0

  constructor(index: number, options: { origin: string; signs: boolean }) {
    this.#index = index
    this.#options = options
  }

  /** Returns the parts that one event adds: text, whole tool calls, the end. */
  read({ content, logprobsResult, finishReason }: Candidate): ChunkChoice[] {
    if (this.finish) return []
    const { text, calls } = readParts(content?.parts, this.#options)
    const added: ChunkChoice[] = []
    if (text) added.push(this.#add({ content: text }, { logprobs: presentLogprobs(logprobsResult) }))
    if (calls.length > 0) {
      const made = calls.map((call, offset) => ({ index: this.#callCount + offset, ...call }))
      added.push(this.#add({ tool_calls: made }))
    }
    this.#hasText ||= text !== ''
    this.#callCount += calls.length
    if (!finishReason) return added
    this.finish = readFinish(finishReason, { hasText: this.#hasText, hasCalls: this.#callCount > 0 })
    return this.finish === 'failed' ? added : [...added, this.#endWith(this.finish)]
  }

  /** Ends a failed choice if other choices succeeded. */
  end(): ChunkChoice {
    return this.#endWith('stop')
  }

  #endWith(reason: FinishReason): ChunkChoice {
    return this.#add(this.#hasRole ? {} : { content: '' }, { finish_reason: reason })
  }

  #add(delta: ChunkDelta, rest: Partial<ChunkChoice> = {}): ChunkChoice {
    const first: ChunkDelta = this.#hasRole ? {} : { role: 'assistant', content: null }
    this.#hasRole = true
    return { index: this.#index, delta: { ...first, ...delta }, logprobs: null, finish_reason: null, ...rest }
  }
}
