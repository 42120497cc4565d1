import { systemIds } from '../../../../platform/ids.ts'
import type { AssistantMessage, ChatChoice } from '../../../../schema/wire/chat.ts'
import type { ChatAnswer, ChatCall, Target } from '../../../chat-adapter.ts'
import { UpstreamFailure } from '../../../upstream-failure.ts'
import { readShape } from '../../shared/answer/read-shape.ts'
import { originOf } from '../origin-of.ts'
import type { Candidate, GenerateAnswer } from '../wire.ts'
import { explainBlock } from './explain-block.ts'
import { readFinish } from './finish-reason.ts'
import { parseAnswer } from './parse-answer.ts'
import { presentLogprobs } from './present-logprobs.ts'
import { readParts, type SignedCall } from './read-parts.ts'
import { readUsage } from './read-usage.ts'

/** A whole answer. Throws `broken` when it is no JSON, has no choice, or every choice is one that could not be made. */
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
