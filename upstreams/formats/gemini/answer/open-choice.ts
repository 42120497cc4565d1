import type { ChunkChoice, ChunkDelta, FinishReason } from '../../../../schema/wire/chat.ts'
import type { Candidate } from '../wire.ts'
import { readFinish } from './finish-reason.ts'
import { presentLogprobs } from './present-logprobs.ts'
import { readParts } from './read-parts.ts'

/** One choice of a streamed answer. */
export interface StreamedChoice {
  /** What one frame adds to it: text, whole calls of tools, its end. */
  read(candidate: Candidate): ChunkChoice[]
  /** The end of a choice that could not be made, where others could. */
  end(): ChunkChoice
  /** Undefined while more is to come; `failed` where the model could not go on and had said nothing. */
  readonly finish: ReturnType<typeof readFinish> | undefined
}

/** Opens a choice. Its role is said once, with the first of it. */
export function openChoice(index: number, given: { origin: string; signs: boolean }): StreamedChoice {
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
      const { text, calls } = readParts(content?.parts, given)
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
