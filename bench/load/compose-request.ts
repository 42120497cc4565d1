import { writeDirections } from '../upstream/directions.ts'
import { models } from './models.ts'
import type { LoadPlan, Protocol } from './plan.ts'

const system =
  'You are a patient engineer. You answer in plain words, briefly, and you say what you do not know.'

/** A query of a tool with a key: the account, its balance, and the first models with their prices. */
export const keyQuery = `{ me { name balance { credits held available } }
  models(first: 20) { nodes { id name modality pricing { unit rates { of price } } } } }`

/** The path and the body of a request, by protocol. */
const requests: Record<Protocol, { path: string; bodyOf: (plan: LoadPlan) => object }> = {
  chat: { path: '/v1/chat/completions', bodyOf: chatBody },
  responses: { path: '/v1/responses', bodyOf: responsesBody },
  images: { path: '/v1/images/generations', bodyOf: imagesBody },
  graph: { path: '/graphql', bodyOf: () => ({ query: keyQuery }) },
}

/** Returns the bytes of a request with a key. A chat request has a system prompt, a question and a few usual settings. */
export function composeRequest(plan: LoadPlan, key: string): Buffer {
  const { path, bodyOf } = requests[plan.protocol ?? 'chat']
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
    model: plan.model ?? models.a,
    messages: [
      { role: 'system', content: system },
      ...historyOf(plan),
      { role: 'user', content: questionOf(plan) },
    ],
    temperature: 0.7,
    max_tokens: 200,
    ...(plan.streamChunks && { stream: true, stream_options: { include_usage: true } }),
  }
}

/** A turn of a chat about code: quotes and line breaks, which JSON escapes. */
const turn = '```ts\nconst answer = await ask("Which model is the cheapest?")\n```\n'.repeat(32)

/** Returns earlier turns of a chat, of the user and the assistant alternately. */
function historyOf({ historyBytes = 0 }: LoadPlan): object[] {
  const turns = Math.floor(historyBytes / turn.length)
  return Array.from({ length: turns }, (_, index) => ({
    role: index % 2 ? 'assistant' : 'user',
    content: turn,
  }))
}

function responsesBody(plan: LoadPlan): object {
  return {
    model: plan.model ?? models.a,
    instructions: system,
    input: questionOf(plan),
    temperature: 0.7,
    max_output_tokens: 200,
    ...(plan.streamChunks && { stream: true }),
  }
}

function imagesBody({ model, imageBytes = 0, upstreamLatencyMs = 0 }: LoadPlan): object {
  const directions = writeDirections({ latencyMs: upstreamLatencyMs, bytes: imageBytes })
  return { model, prompt: `A paper boat in the rain. ${directions}` }
}

function questionOf({ upstreamLatencyMs = 0, streamChunks = 0, chunkEveryMs = 0 }: LoadPlan): string {
  const directions = { latencyMs: upstreamLatencyMs, chunks: streamChunks, everyMs: chunkEveryMs }
  return `What does a gateway in front of AI models do? ${writeDirections(directions)}`
}
