import { isRecord } from '../../../platform/checks.ts'
import { systemIds } from '../../../platform/ids.ts'
import type { Usage } from '../../../schema/usage.ts'
import type { AssistantMessage, ChatChoice } from '../../../schema/wire/chat.ts'
import type { ChatAnswer, ChatCall } from '../../chat-adapter.ts'
import type { Target } from '../../targets.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { countOf, guardShape, parseJson } from '../shared/answer.ts'
import { originOf } from './calls.ts'
import { presentLogprobs, readFinish, readParts, type SignedToolCall } from './candidate.ts'
import { failureOfError } from './failure.ts'
import type { Candidate, GenerateAnswer, PromptFeedback, UsageMetadata } from './wire.ts'

/** Reads a whole answer. Throws `broken` if it is not JSON, has no choice, or has only failed choices. */
export function readAnswer(body: Buffer, call: ChatCall, target: Target): ChatAnswer {
  return guardShape(() => readGenerated(body, call, target))
}

function readGenerated(body: Buffer, call: ChatCall, target: Target): ChatAnswer {
  const answer = parseAnswer(body.toString())
  const id = answer.responseId ? `chatcmpl-${answer.responseId}` : systemIds.tagged('chatcmpl-')
  return {
    completion: {
      id,
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1000),
      model: call.request.model,
      choices: readChoices(answer, call, target),
    },
    usage: readUsage(answer.usageMetadata),
  }
}

function readChoices(
  { candidates, promptFeedback }: GenerateAnswer,
  call: ChatCall,
  target: Target,
): ChatChoice[] {
  if (!candidates?.length) return [blockedChoice(explainBlock(promptFeedback))]
  const options = { origin: originOf(call, target), signs: call.entry.chat.reasoning?.signatures === true }
  const read = candidates.map((candidate, position) => readChoice(candidate, position, options))
  if (read.some(({ hasFailed }) => !hasFailed)) return read.map(({ choice }) => choice)
  const [{ finishReason = 'no reason', finishMessage = '' } = {}] = candidates
  throw new UpstreamFailure('broken', {
    message: `the model gave up: ${finishReason} ${finishMessage}`.trimEnd(),
  })
}

function readChoice(
  { content, finishReason, logprobsResult, index }: Candidate,
  position: number,
  options: { origin: string; signs: boolean },
): { choice: ChatChoice; hasFailed: boolean } {
  const { text, calls } = readParts(content?.parts, options)
  const finish = readFinish(finishReason, { hasText: text !== '', hasCalls: calls.length > 0 })
  const choice: ChatChoice = {
    index: index ?? position,
    message: presentMessage(text, calls),
    logprobs: presentLogprobs(logprobsResult),
    finish_reason: finish === 'failed' ? 'stop' : finish,
  }
  return { choice, hasFailed: finish === 'failed' }
}

function presentMessage(text: string, calls: SignedToolCall[]): AssistantMessage {
  if (calls.length === 0) return { role: 'assistant', content: text, refusal: null }
  return { role: 'assistant', content: text || null, refusal: null, tool_calls: calls }
}

/** Returns the choice for a blocked prompt, which contains the refusal. */
function blockedChoice(refusal: string | undefined): ChatChoice {
  if (!refusal) throw new UpstreamFailure('broken', { message: 'the vendor answered without a choice' })
  const message: AssistantMessage = { role: 'assistant', content: '', refusal }
  return { index: 0, message, logprobs: null, finish_reason: 'content_filter' }
}

/**
 * Parses an answer, or one event of a stream. Throws UpstreamFailure for anything else, and for an error that replaces
 * it.
 */
export function parseAnswer(text: string): GenerateAnswer {
  const value = parse(text)
  const answer: unknown = Array.isArray(value) ? value[0] : value
  if (!isAnswer(answer)) {
    throw new UpstreamFailure('broken', {
      message: 'the vendor answered with something other than an object',
    })
  }
  if (answer.error) throw failureOfError(answer.error)
  return answer
}

function isAnswer(value: unknown): value is GenerateAnswer {
  return isRecord(value)
}

function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    throw new UpstreamFailure('broken', { message: 'the vendor answered with something other than JSON' })
  }
}

/** Returns the text that the client gets if the vendor blocked the prompt, or undefined. */
export function explainBlock(feedback: PromptFeedback | undefined): string | undefined {
  if (!feedback?.blockReason) return undefined
  const detail = feedback.blockReasonMessage ? `: ${feedback.blockReasonMessage}` : '.'
  return `The vendor blocked the prompt (${feedback.blockReason})${detail}`
}

/**
 * Returns the usage, or undefined if the vendor reports none. Cached tokens are part of the prompt. The vendor counts
 * thinking separately, and it becomes part of the completion. The vendor leaves out zeros, and does not charge for
 * cache writes.
 */
export function readUsage(metadata: UsageMetadata | undefined): Usage | undefined {
  if (typeof metadata?.promptTokenCount !== 'number') return undefined
  const promptTokens = metadata.promptTokenCount + countOf(metadata.toolUsePromptTokenCount)
  const reasoningTokens = countOf(metadata.thoughtsTokenCount)
  return {
    promptTokens,
    cachedTokens: Math.min(countOf(metadata.cachedContentTokenCount), promptTokens),
    cacheCreationTokens: 0,
    completionTokens: countOf(metadata.candidatesTokenCount) + reasoningTokens,
    reasoningTokens,
  }
}
