import type { ChatRequest } from '../../schema/wire/chat.ts'

/** What a prompt is made of, as far as its size goes. */
export interface PromptSize {
  /** UTF-8 bytes of all text: messages, names, tool calls, tools, schema. */
  bytes: number
  messages: number
  images: number
}

/** Bytes a token: three bound what tokenizers make of text, four is what they make of it on average. */
const bytesPerTokenAtLeast = 3
const bytesPerToken = 4
const tokensPerMessage = 8
const tokensPerImage = 1_600

/** Measures a prompt without tokenizing it. */
export function measurePrompt(request: ChatRequest): PromptSize {
  const size: PromptSize = { bytes: 0, messages: request.messages.length, images: 0 }
  for (const message of request.messages) {
    const { content, tool_calls: calls } = message
    if (typeof content === 'string') size.bytes += Buffer.byteLength(content)
    else if (content) for (const part of content) addPart(size, part)
    if (calls) size.bytes += Buffer.byteLength(JSON.stringify(calls))
  }
  if (request.tools) size.bytes += Buffer.byteLength(JSON.stringify(request.tools))
  if (request.response_format) size.bytes += Buffer.byteLength(JSON.stringify(request.response_format))
  return size
}

/** Tokens that the prompt hardly exceeds: what is held for it. */
export function boundTokens(size: PromptSize): number {
  return tokensOf(size, bytesPerTokenAtLeast)
}

/** Tokens that the prompt probably has: what is charged when no vendor said it. */
export function estimateTokens(size: PromptSize): number {
  return tokensOf(size, bytesPerToken)
}

/** Tokens of produced text, by the same measure. */
export function estimateProduced(characters: number): number {
  return Math.ceil(characters / bytesPerToken)
}

function tokensOf({ bytes, messages, images }: PromptSize, bytesEach: number): number {
  return Math.ceil(bytes / bytesEach) + messages * tokensPerMessage + images * tokensPerImage
}

function addPart(size: PromptSize, part: object): void {
  if ('text' in part && typeof part.text === 'string') size.bytes += Buffer.byteLength(part.text)
  else if ('image_url' in part) size.images += 1
  else size.bytes += Buffer.byteLength(JSON.stringify(part))
}
