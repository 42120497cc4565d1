import type { ChatRequest, ContentPart } from '../../schema/wire/chat.ts'

/** What a prompt is made of, as far as its size goes. */
export interface PromptSize {
  /** UTF-8 bytes of all that a model may read, its images apart. */
  bytes: number
  messages: number
  images: number
  /** Tools, or a format that vendors may keep by a tool. */
  hasTools: boolean
}

const bytesPerToken = 4
const tokensPerMessage = 8
const tokensPerImage = 1_600

/** What vendors themselves tell a model of how to use tools; it is charged as part of the prompt. */
const tokensOfToolUse = 600

/** What steers a request and is no part of its prompt. Fields that nobody here knows may be one. */
const unread: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'frequency_penalty',
  'max_completion_tokens',
  'max_tokens',
  'metadata',
  'n',
  'parallel_tool_calls',
  'presence_penalty',
  'prompt_cache_key',
  'reasoning_effort',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'top_p',
  'user',
])

/** The size of a prompt by that of the body which it came in: an upper bound, known without reading any text. */
export function boundPrompt(request: ChatRequest, bodyBytes: number): PromptSize {
  const size = { ...sizeOf(request), bytes: bodyBytes }
  for (const { content } of request.messages) {
    if (!Array.isArray(content)) continue
    for (const part of content) {
      const address = addressOf(part)
      if (address === undefined) continue
      size.images += 1
      size.bytes -= address.length
    }
  }
  return size
}

/** Measures a prompt without tokenizing it: all that is passed on to a vendor, fields that nobody here knows too. */
export function measurePrompt(request: ChatRequest): PromptSize {
  const size = sizeOf(request)
  for (const message of request.messages) {
    const { content } = message
    if (typeof content === 'string') size.bytes += Buffer.byteLength(content)
    else if (content) for (const part of content) addPart(size, part)
    addFields(size, message, ownOfMessage)
  }
  addFields(size, request, unread)
  return size
}

/**
 * Tokens that no prompt of that size exceeds: what is held for it. Every token of a text is at least a byte of it,
 * and of digits, rare characters or noise hardly more. How many an image makes is an estimate.
 */
export function boundTokens(size: PromptSize): number {
  return tokensOf(size, 1) + (size.hasTools ? tokensOfToolUse : 0)
}

/** Tokens that the prompt probably has: what is charged when no vendor said it, and what its rates take at first. */
export function estimateTokens(size: PromptSize): number {
  return tokensOf(size, bytesPerToken)
}

/** Tokens of produced text, by the same measure. */
export function estimateProduced(characters: number): number {
  return Math.ceil(characters / bytesPerToken)
}

function sizeOf({ messages, tools, response_format }: ChatRequest): PromptSize {
  return {
    bytes: 0,
    messages: messages.length,
    images: 0,
    hasTools: (tools?.length ?? 0) > 0 || Boolean(response_format),
  }
}

function tokensOf({ bytes, messages, images }: PromptSize, bytesEach: number): number {
  return Math.ceil(bytes / bytesEach) + messages * tokensPerMessage + images * tokensPerImage
}

const ownOfMessage: ReadonlySet<string> = new Set(['role', 'content'])
const ownOfText: ReadonlySet<string> = new Set(['type', 'text'])
const ownOfImage: ReadonlySet<string> = new Set(['type', 'image_url'])
const ownOfAddress: ReadonlySet<string> = new Set(['url'])
const none: ReadonlySet<string> = new Set()

function addPart(size: PromptSize, part: ContentPart): void {
  if (addressOf(part) !== undefined) {
    size.images += 1
    addFields(size, part, ownOfImage)
    addFields(size, Reflect.get(part, 'image_url'), ownOfAddress)
  } else if (part.type === 'text' && 'text' in part && typeof part.text === 'string') {
    size.bytes += Buffer.byteLength(part.text)
    addFields(size, part, ownOfText)
  } else {
    addFields(size, part, none)
  }
}

/** Adds the fields of an object, names and values, but for those of `others`. */
function addFields(size: PromptSize, fields: object, others: ReadonlySet<string>): void {
  for (const name in fields) {
    if (others.has(name)) continue
    const value: unknown = Reflect.get(fields, name)
    if (value === undefined || value === null) continue
    size.bytes += Buffer.byteLength(name) + Buffer.byteLength(JSON.stringify(value))
  }
}

/** Where an image is, or the image itself as a data URI; undefined for a part that is none. */
function addressOf(part: ContentPart): string | undefined {
  if (part.type !== 'image_url' || !('image_url' in part)) return undefined
  const { image_url: image } = part
  if (typeof image !== 'object' || image === null || !('url' in image)) return undefined
  return typeof image.url === 'string' ? image.url : undefined
}
