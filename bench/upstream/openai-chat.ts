import { answerText, cutText, outputTokens, promptTokens } from './answer-text.ts'
import type { WireFormat } from './ready-answers.ts'

const usage = {
  prompt_tokens: promptTokens,
  completion_tokens: outputTokens,
  total_tokens: promptTokens + outputTokens,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
}

const identity = {
  id: 'chatcmpl-0000000000000000000000000000',
  created: 1_780_000_000,
  model: 'atlas-mini-2026-06',
  service_tier: 'default',
  system_fingerprint: 'fp_0000000000',
}

/** vendor_a: a stream is the role, the pieces, the finish, the usage and `[DONE]`. */
export const openaiChat: WireFormat = {
  headers: [
    'openai-organization: org-bench',
    'openai-processing-ms: 1',
    'openai-version: 2020-10-01',
    'x-request-id: req_00000000000000000000000000000000',
  ],
  whole() {
    const message = { role: 'assistant', content: answerText, refusal: null, annotations: [] }
    const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }]
    return { ...identity, object: 'chat.completion', choices, usage }
  },
  frames: chunks => [
    frame([choice({ role: 'assistant', content: '', refusal: null })]),
    ...cutText(chunks).map(content => frame([choice({ content })])),
    frame([choice({}, 'stop')]),
    frame([], usage),
    'data: [DONE]\n\n',
  ],
}

function frame(choices: object[], counted: typeof usage | null = null): string {
  const chunk = { ...identity, object: 'chat.completion.chunk', choices, usage: counted }
  return `data: ${JSON.stringify(chunk)}\n\n`
}

function choice(delta: object, finishReason: string | null = null): object {
  return { index: 0, delta, logprobs: null, finish_reason: finishReason }
}
