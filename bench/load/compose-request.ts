import { writeDirections } from '../upstream/directions.ts'
import { writeMediaDirections } from '../upstream/media.ts'
import { keyQuery } from './graph-query.ts'
import type { LoadPlan, Protocol } from './plan.ts'

const system =
  'You are a patient engineer. You answer in plain words, briefly, and you say what you do not know.'

/** The path and body of a request, by protocol. */
const requests: Record<Protocol, { path: string; bodyOf: (plan: LoadPlan) => object }> = {
  chat: { path: '/v1/chat/completions', bodyOf: chatBody },
  responses: { path: '/v1/responses', bodyOf: responsesBody },
  images: { path: '/v1/images/generations', bodyOf: imagesBody },
  graph: { path: '/graphql', bodyOf: () => ({ query: keyQuery }) },
}

/** The bytes of a request with that key: of chat a system prompt, a question, a few usual settings. */
export function composeRequest(plan: LoadPlan, key: string): Buffer {
  const { path, bodyOf } = requests[plan.protocol]
  const body = JSON.stringify(bodyOf(plan))
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    'accept: */*',
    'user-agent: rubicon-bench',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function chatBody(plan: LoadPlan): object {
  return {
    model: plan.model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: questionOf(plan) },
    ],
    temperature: 0.7,
    max_tokens: 200,
    ...(plan.streamChunks > 0 && { stream: true, stream_options: { include_usage: true } }),
  }
}

function responsesBody(plan: LoadPlan): object {
  return {
    model: plan.model,
    instructions: system,
    input: questionOf(plan),
    temperature: 0.7,
    max_output_tokens: 200,
    ...(plan.streamChunks > 0 && { stream: true }),
  }
}

function imagesBody({ model, imageBytes: bytes, upstreamLatencyMs: durationMs }: LoadPlan): object {
  return { model, prompt: `A paper boat in the rain. ${writeMediaDirections({ durationMs, bytes })}` }
}

function questionOf({
  upstreamLatencyMs: latencyMs,
  streamChunks: chunks,
  chunkEveryMs: everyMs,
}: LoadPlan): string {
  return `What does a gateway in front of AI models do? ${writeDirections({ latencyMs, chunks, everyMs })}`
}
