import type OpenAI from 'openai'
import type { Candidate, Reply } from '../../model/reply.ts'
import type { ChatRequest } from '../request/parse-chat-request.ts'
import { type Identity, identifyCall } from './identify-answer.ts'
import { presentLogprobs } from './present-logprobs.ts'
import { presentUsage } from './present-usage.ts'

const finishReasons = { stop: 'stop', length: 'length', calls: 'tool_calls' } as const

/** Why an answer ended, in the vendor's words. */
export function finishOf(finish: Candidate['finish'], { callsFunctions }: ChatRequest) {
  return finish === 'calls' && callsFunctions ? 'function_call' : finishReasons[finish]
}

/** A whole answer, as a `chat.completion`. */
export function presentChat(
  { candidates, usage }: Reply,
  { identity, request }: { identity: Identity; request: ChatRequest },
): OpenAI.ChatCompletion {
  const { id, created, model, service_tier, system_fingerprint } = identity
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: candidates.map((candidate, index) => presentChoice(candidate, index, { identity, request })),
    ...(usage && { usage: presentUsage(usage) }),
    service_tier,
    system_fingerprint,
  }
}

function presentChoice(
  { text, calls, finish }: Candidate,
  index: number,
  { identity, request }: { identity: Identity; request: ChatRequest },
): OpenAI.ChatCompletion.Choice {
  const message: OpenAI.ChatCompletionMessage = {
    role: 'assistant',
    content: calls.length > 0 ? null : text,
    refusal: null,
    annotations: [],
  }
  const [call] = calls
  if (call && request.callsFunctions) message.function_call = call
  else if (call) {
    message.tool_calls = calls.map((call, position) => ({
      id: identifyCall(identity, index, position),
      type: 'function',
      function: call,
    }))
  }
  const logprobs = request.topLogprobs === undefined ? null : presentLogprobs(text, request.topLogprobs)
  return { index, message, logprobs, finish_reason: finishOf(finish, request) }
}
