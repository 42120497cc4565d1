import type { ChatMessage } from './use-chat.ts'

/** A chat request as code. */
export interface ChatBody {
  model: string
  messages: readonly ChatMessage[]
  parameters: Record<string, unknown>
}

/** Maximum output of a request of the Messages API, which requires one, if the request sets none. */
const messagesMaxTokens = 1024

/** The request as a command. Its body is quoted for the shell. */
export function curlOf(origin: string, { model, messages, parameters }: ChatBody): string {
  const body = JSON.stringify({ model, messages, ...parameters, stream: true }, undefined, 2)
  return `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer $RUBICON_API_KEY" -H "Content-Type: application/json" \\
  -d '${body.replaceAll("'", `'\\''`)}'`
}

/** The request with OpenAI's SDK. */
export function openaiOf(origin: string, { model, messages, parameters }: ChatBody): string {
  return `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: process.env.RUBICON_API_KEY })
const stream = await client.chat.completions.create(${literalOf({ model, messages, ...parameters, stream: true })})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '')`
}

/** The request with Anthropic's SDK. Parameters that only OpenAI's format has are left out. */
export function anthropicOf(origin: string, { model, messages, parameters }: ChatBody): string {
  const { max_tokens: maxTokens = messagesMaxTokens, temperature, top_p: topP } = parameters
  const system = messages.find(({ role }) => role === 'system')?.content
  const body = {
    model,
    max_tokens: maxTokens,
    ...(system !== undefined && { system }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    messages: messages.filter(({ role }) => role !== 'system'),
  }
  return `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({ baseURL: '${origin}', apiKey: process.env.RUBICON_API_KEY })
const stream = client.messages.stream(${literalOf(body)})
stream.on('text', text => process.stdout.write(text))
await stream.finalMessage()`
}

/** JSON is a value of JavaScript. */
function literalOf(value: object): string {
  return JSON.stringify(value, undefined, 2)
}
