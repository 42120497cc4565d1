import { systemIds } from '../../../platform/ids.ts'
import type { Usage } from '../../../schema/usage.ts'
import type { ChatChunk, ChunkChoice, ChunkDelta, FinishReason } from '../../../schema/wire/chat.ts'
import type { ChatCall, ChatTranslator } from '../../chat-adapter.ts'
import type { Target } from '../../targets.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { guardShape } from '../shared/answer.ts'
import { explainBlock, parseAnswer, readUsage } from './answer.ts'
import { originOf } from './calls.ts'
import { presentLogprobs, readFinish, readParts } from './candidate.ts'
import type { Candidate, GenerateAnswer } from './wire.ts'

/**
 * Opens the translator of a stream, each event of which is an answer with a part of the text. A choice
 * without a finish reason was cut off, and one that failed is empty: either is a failure, unless (for the
 * latter) another choice succeeded.
 */
export function openTranslator(call: ChatCall, target: Target): ChatTranslator {
  const options = { origin: originOf(call, target), signs: call.entry.chat.reasoning?.signatures === true }
  const choices = new Map<number, StreamedChoice>()
  const head = { id: '', created: Math.floor(Date.now() / 1000), model: call.request.model }
  const choiceCount = call.request.n ?? 1
  let usage: Usage | undefined
  let isUsageFinal = false
  let isBlocked = false
  let failureReason = ''

  const chunkOf = (choice: ChunkChoice): ChatChunk => ({
    id: head.id,
    object: 'chat.completion.chunk',
    created: head.created,
    model: head.model,
    choices: [choice],
  })

  const readCandidate = (candidate: Candidate, position: number): ChunkChoice[] => {
    const index = candidate.index ?? position
    const choice = choices.get(index) ?? openChoice(index, options)
    choices.set(index, choice)
    const added = choice.read(candidate)
    if (choice.finish === 'failed')
      failureReason = `${candidate.finishReason} ${candidate.finishMessage ?? ''}`.trimEnd()
    return added
  }

  const isFinished = () => {
    if (isBlocked && choices.size === 0) return true
    if (choices.size < choiceCount) return false
    for (const { finish } of choices.values()) if (!finish) return false
    return true
  }

  const readBlock = ({ promptFeedback }: GenerateAnswer): ChunkChoice[] => {
    const refusal = choices.size === 0 && !isBlocked ? explainBlock(promptFeedback) : undefined
    if (!refusal) return []
    isBlocked = true
    return blockedChoice(refusal)
  }

  const readEvent = (data: string): ChunkChoice[] => {
    const answer = parseAnswer(data)
    head.id ||= answer.responseId ? `chatcmpl-${answer.responseId}` : systemIds.tagged('chatcmpl-')
    usage = readUsage(answer.usageMetadata) ?? usage // totals so far, not to be added up
    const added = [...(answer.candidates ?? []).flatMap(readCandidate), ...readBlock(answer)]
    isUsageFinal ||= answer.usageMetadata !== undefined && isFinished()
    return added
  }

  return {
    read: ({ data }) => (data === '' ? [] : guardShape(() => readEvent(data)).map(chunkOf)),
    end() {
      const all = [...choices.values()]
      if (isBlocked && all.length === 0) return []
      if (all.length === 0 || all.some(({ finish }) => !finish)) {
        throw new UpstreamFailure('broken', { message: 'the vendor ended its answer too early' })
      }
      const failed = all.filter(({ finish }) => finish === 'failed')
      if (failed.length === all.length) {
        throw new UpstreamFailure('broken', { message: `the model gave up: ${failureReason}` })
      }
      return failed.map(choice => chunkOf(choice.end()))
    },
    get isFinished() {
      return isFinished()
    },
    get isOver() {
      return isUsageFinal
    },
    get usage() {
      return usage
    },
    get isUsageFinal() {
      return isUsageFinal
    },
    thinks: false, // every event has usage, which counts the thinking
  }
}

/** A blocked prompt is answered with a choice that says so. */
function blockedChoice(refusal: string): ChunkChoice[] {
  const delta = { role: 'assistant', content: '', refusal } as const
  return [{ index: 0, logprobs: null, delta, finish_reason: 'content_filter' }]
}

/** One choice of a streamed answer. */
interface StreamedChoice {
  /** What one event adds to it: text, whole tool calls, its end. */
  read(candidate: Candidate): ChunkChoice[]
  /** Ends a choice that failed where others succeeded. */
  end(): ChunkChoice
  /** Undefined while more is to come; `failed` where the model could not go on and had generated nothing. */
  readonly finish: ReturnType<typeof readFinish> | undefined
}

/** Opens a choice. Its first chunk carries the role. */
function openChoice(index: number, options: { origin: string; signs: boolean }): StreamedChoice {
  let hasRole = false
  let hasText = false
  let callCount = 0
  let finish: StreamedChoice['finish']

  const add = (delta: ChunkDelta, rest: Partial<ChunkChoice> = {}): ChunkChoice => {
    const first: ChunkDelta = hasRole ? {} : { role: 'assistant', content: null }
    hasRole = true
    return { index, delta: { ...first, ...delta }, logprobs: null, finish_reason: null, ...rest }
  }
  const endWith = (reason: FinishReason) => add(hasRole ? {} : { content: '' }, { finish_reason: reason })

  return {
    read({ content, logprobsResult, finishReason }) {
      if (finish) return []
      const { text, calls } = readParts(content?.parts, options)
      const added: ChunkChoice[] = []
      if (text) added.push(add({ content: text }, { logprobs: presentLogprobs(logprobsResult) }))
      if (calls.length > 0) {
        added.push(add({ tool_calls: calls.map((call, offset) => ({ index: callCount + offset, ...call })) }))
      }
      hasText ||= text !== ''
      callCount += calls.length
      if (!finishReason) return added
      finish = readFinish(finishReason, { hasText, hasCalls: callCount > 0 })
      return finish === 'failed' ? added : [...added, endWith(finish)]
    },
    end: () => endWith('stop'),
    get finish() {
      return finish
    },
  }
}
