import { systemIds } from '../../../platform/ids.ts'
import type { Usage } from '../../../schema/usage.ts'
import type { ChatChunk, ChunkChoice, ChunkDelta } from '../../../schema/wire/chat.ts'
import type { ChatCall, ChatTranslator, Target } from '../../chat-adapter.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { originOf } from '../origin-of.ts'
import type { Candidate, GenerateAnswer } from '../wire.ts'
import { explainBlock } from './explain-block.ts'
import { readFinish } from './finish-reason.ts'
import { parseAnswer } from './parse-answer.ts'
import { presentLogprobs } from './present-logprobs.ts'
import { readParts } from './read-parts.ts'
import { readUsage } from './read-usage.ts'

/** What of one choice has come so far. */
interface Progress {
  hasRole: boolean
  hasText: boolean
  callCount: number
  finish: ReturnType<typeof readFinish> | undefined
}

/**
 * Reads the vendor's stream: frames that are answers each, of which the last usage holds. A choice without a finish
 * reason was cut, and one that could not be made is none: that is a failure, unless another choice was made.
 */
export function openTranslator(call: ChatCall, target: Target): ChatTranslator {
  const given = { origin: originOf(call, target), signs: call.entry.chat.reasoning?.signatures === true }
  const choices = new Map<number, Progress>()
  const head = { id: '', created: Math.floor(Date.now() / 1000), model: call.request.model }
  let usage: Usage | undefined
  let gaveUp = ''

  const chunkOf = (index: number, delta: ChunkDelta, rest: Partial<ChunkChoice> = {}): ChatChunk => {
    const { id, created, model } = head
    const choice = { index, delta, logprobs: null, finish_reason: null, ...rest }
    return { id, object: 'chat.completion.chunk', created, model, choices: [choice] }
  }

  const readCandidate = (candidate: Candidate, position: number): ChatChunk[] => {
    const index = candidate.index ?? position
    const progress = choices.get(index) ?? { hasRole: false, hasText: false, callCount: 0, finish: undefined }
    choices.set(index, progress)
    if (progress.finish) return []
    const { text, calls } = readParts(candidate.content?.parts, given)
    const chunks: ChatChunk[] = []
    if (text) {
      const logprobs = presentLogprobs(candidate.logprobsResult)
      chunks.push(chunkOf(index, { ...roleOf(progress), content: text }, { logprobs }))
      progress.hasText = true
    }
    if (calls.length > 0) {
      const fragments = calls.map((made, offset) => ({ index: progress.callCount + offset, ...made }))
      const content = progress.hasRole ? {} : { content: null }
      chunks.push(chunkOf(index, { ...roleOf(progress), ...content, tool_calls: fragments }))
      progress.callCount += calls.length
    }
    if (!candidate.finishReason) return chunks
    progress.finish = readFinish(candidate.finishReason, {
      hasText: progress.hasText,
      hasCalls: progress.callCount > 0,
    })
    if (progress.finish === 'failed')
      gaveUp = `${candidate.finishReason} ${candidate.finishMessage ?? ''}`.trimEnd()
    else chunks.push(endOf(index, progress, progress.finish))
    return chunks
  }

  const endOf = (index: number, progress: Progress, finish: string): ChatChunk =>
    chunkOf(index, progress.hasRole ? {} : { ...roleOf(progress), content: '' }, { finish_reason: finish })

  /** A prompt that was blocked has an answer all the same: one that says so. */
  const readBlock = ({ candidates, promptFeedback }: GenerateAnswer): ChatChunk[] => {
    const refusal = candidates?.length ? undefined : explainBlock(promptFeedback)
    if (!refusal || choices.size > 0) return []
    const progress: Progress = { hasRole: false, hasText: false, callCount: 0, finish: 'content_filter' }
    choices.set(0, progress)
    return [chunkOf(0, { ...roleOf(progress), content: '', refusal }), endOf(0, progress, 'content_filter')]
  }

  return {
    read({ data }) {
      if (data === '' || data === '[DONE]') return []
      const answer = parseAnswer(data)
      head.id ||= answer.responseId ? `chatcmpl-${answer.responseId}` : systemIds.tagged('chatcmpl-')
      usage = readUsage(answer.usageMetadata) ?? usage
      return [...(answer.candidates ?? []).flatMap(readCandidate), ...readBlock(answer)]
    },
    end() {
      const ended = [...choices.values()]
      if (ended.length === 0 || ended.some(({ finish }) => !finish)) {
        throw new UpstreamFailure('broken', { message: 'the vendor ended its answer too early' })
      }
      if (ended.every(({ finish }) => finish === 'failed')) {
        throw new UpstreamFailure('broken', { message: `the model gave up: ${gaveUp}` })
      }
      const failed = [...choices].filter(([, { finish }]) => finish === 'failed')
      return failed.map(([index, progress]) => endOf(index, progress, 'stop'))
    },
    get usage() {
      return usage
    },
  }
}

/** The role, said once, with the first of a choice. */
function roleOf(progress: Progress): { role?: 'assistant' } {
  if (progress.hasRole) return {}
  progress.hasRole = true
  return { role: 'assistant' }
}
