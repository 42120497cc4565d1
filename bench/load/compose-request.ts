import type { LoadPlan } from './plan.ts'

/** The bytes of a chat request with that key: a system prompt, a question, a few usual settings. */
export function composeRequest(plan: LoadPlan, key: string): Buffer {
  const body = JSON.stringify({
    model: 'vendor_a/atlas-mini',
    messages: [
      {
        role: 'system',
        content:
          'You are a patient engineer. You answer in plain words, briefly, and you say what you do not know.',
      },
      { role: 'user', content: `What does a gateway in front of AI models do? ${stageDirection(plan)}` },
    ],
    temperature: 0.7,
    max_tokens: 200,
    ...(plan.streamChunks > 0 && { stream: true, stream_options: { include_usage: true } }),
  })
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    'host: 127.0.0.1',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    'accept: */*',
    'user-agent: rubicon-bench',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Tells the benchmark's upstream how to answer; no setting of a real vendor is used for that. */
function stageDirection({ upstreamLatencyMs, streamChunks }: LoadPlan): string {
  return `Answer after ${upstreamLatencyMs} ms, in ${streamChunks} chunks.`
}
