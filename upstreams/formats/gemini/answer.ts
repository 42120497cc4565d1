import { systemIds } from '../../../platform/ids.ts'
import { isRecord } from '../../../platform/is-record.ts'
import type { Usage } from '../../../schema/usage.ts'
import type { AssistantMessage, ChatChoice } from '../../../schema/wire/chat.ts'
import type { ChatAnswer, ChatCall } from '../../chat-adapter.ts'
import type { Target } from '../../targets.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { countOf, parseJson, readShape } from '../shared/answer.ts'
import { originOf } from './calls.ts'
import { presentLogprobs, readFinish, readParts, type SignedCall } from './candidate.ts'
import { failureOfError } from './failure.ts'
import type { Candidate, GenerateAnswer, PromptFeedback, UsageMetadata } from './wire.ts'

/**
 * A whole answer. Throws `broken` when it is no JSON, has no choice, or every choice is one that could not be
 * made.
 */
export function readAnswer(body: Buffer, call: ChatCall, target: Target): ChatAnswer {
  return readShape(() => readGenerated(body, call, target))
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
  const given = { origin: originOf(call, target), signs: call.entry.chat.reasoning?.signatures === true }
  const read = candidates.map((candidate, position) => readChoice(candidate, position, given))
  if (read.some(({ hasFailed }) => !hasFailed)) return read.map(({ choice }) => choice)
  const [{ finishReason = 'no reason', finishMessage = '' } = {}] = candidates
  throw new UpstreamFailure('broken', {
    message: `the model gave up: ${finishReason} ${finishMessage}`.trimEnd(),
  })
}

function readChoice(
  { content, finishReason, logprobsResult, index }: Candidate,
  position: number,
  given: { origin: string; signs: boolean },
): { choice: ChatChoice; hasFailed: boolean } {
  const { text, calls } = readParts(content?.parts, given)
  const finish = readFinish(finishReason, { hasText: text !== '', hasCalls: calls.length > 0 })
  const choice: ChatChoice = {
    index: index ?? position,
    message: presentMessage(text, calls),
    logprobs: presentLogprobs(logprobsResult),
    finish_reason: finish === 'failed' ? 'stop' : finish,
  }
  return { choice, hasFailed: finish === 'failed' }
}

function presentMessage(text: string, calls: SignedCall[]): AssistantMessage {
  if (calls.length === 0) return { role: 'assistant', content: text, refusal: null }
  return { role: 'assistant', content: text || null, refusal: null, tool_calls: calls }
}

/** A prompt that was blocked has an answer all the same: one that says so. */
function blockedChoice(refusal: string | undefined): ChatChoice {
  if (!refusal) throw new UpstreamFailure('broken', { message: 'the vendor answered without a choice' })
  const message: AssistantMessage = { role: 'assistant', content: '', refusal }
  return { index: 0, message, logprobs: null, finish_reason: 'content_filter' }
}

/**
 * An answer, or one frame of it. Throws UpstreamFailure where it is none, or is an error in an answer's
 * place.
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

/**
 * What a client is told in place of an answer to a prompt that the vendor blocked; undefined where it did
 * not.
 */
export function explainBlock(feedback: PromptFeedback | undefined): string | undefined {
  if (!feedback?.blockReason) return undefined
  const words = feedback.blockReasonMessage ? `: ${feedback.blockReasonMessage}` : '.'
  return `The vendor blocked the prompt (${feedback.blockReason})${words}`
}

/**
 * The vendor's usage. Cached tokens are part of the prompt; thoughts are counted beside the answer, and are
 * part of the completion. The vendor leaves zeros out, and has no price for writing its cache.
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
