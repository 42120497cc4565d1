/** What every answer says; the load generator looks for it again. */
export const answerText =
  'A gateway stands between many clients and many vendors. It knows whose key is calling, what that key may do, what ' +
  'the answer will cost at most, and it keeps the books so that neither side has to trust the other.'

const usage = {
  prompt_tokens: 96,
  completion_tokens: 48,
  total_tokens: 144,
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

const headers =
  'HTTP/1.1 200 OK\r\nopenai-organization: org-bench\r\nopenai-processing-ms: 1\r\nopenai-version: 2020-10-01\r\n' +
  'x-request-id: req_00000000000000000000000000000000\r\n'

/** A whole `chat.completion`, with its HTTP head. */
export const wholeAnswer = composeWhole()

const streams = new Map<number, Buffer>()

/**
 * A streamed answer of `chunks` pieces of text, with its HTTP head: the role, the pieces, the finish, the usage and
 * `[DONE]`, each an HTTP chunk of its own, all in one write, which asks the most of whoever passes it on.
 */
export function streamedAnswer(chunks: number): Buffer {
  const known = streams.get(chunks)
  if (known) return known
  const composed = composeStream(chunks)
  streams.set(chunks, composed)
  return composed
}

function composeWhole(): Buffer {
  const message = { role: 'assistant', content: answerText, refusal: null, annotations: [] }
  const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }]
  const body = JSON.stringify({ ...identity, object: 'chat.completion', choices, usage })
  return Buffer.from(
    `${headers}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

function composeStream(chunks: number): Buffer {
  const frames = [
    frame([choice({ role: 'assistant', content: '', refusal: null })]),
    ...pieces(chunks).map(content => frame([choice({ content })])),
    frame([choice({}, 'stop')]),
    frame([], usage),
    'data: [DONE]\n\n',
  ]
  const body = frames.map(text => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`).join('')
  return Buffer.from(
    `${headers}content-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n${body}0\r\n\r\n`,
  )
}

function frame(choices: object[], counted: typeof usage | null = null): string {
  const chunk = { ...identity, object: 'chat.completion.chunk', choices, usage: counted }
  return `data: ${JSON.stringify(chunk)}\n\n`
}

function choice(delta: object, finishReason: string | null = null): object {
  return { index: 0, delta, logprobs: null, finish_reason: finishReason }
}

/** The text in that many pieces. */
function pieces(count: number): string[] {
  const cut = (index: number) => Math.round((index * answerText.length) / count)
  return Array.from({ length: count }, (_, index) => answerText.slice(cut(index), cut(index + 1)))
}
