import { isRecord } from '../../platform/checks.ts'
import type { ChatRequest, ContentPart } from '../../schema/wire/chat.ts'

/** The size of a prompt, by its parts. */
export interface PromptSize {
  /** UTF-8 bytes of all text that a model may read. */
  bytes: number
  /** Maximum tokens of its text, if a tokenizer has counted it. */
  textTokens?: number | undefined
  messages: number
  /** Text parts of messages. Zero if `bytes` counts the JSON around them. */
  parts: number
  images: number
  /** Characters of inline documents and sound, in base64. */
  mediaBytes: number
  /** Whether a part is at a URL that the vendor fetches, so that its size is unknown. */
  isOpen: boolean
  /** Whether it has tools, or a response format that vendors may implement as a tool. */
  hasTools: boolean
}

const bytesPerToken = 4
const tokensPerMessage = 8

/** Tokens that a vendor may insert between two parts of a message, such as a line break. */
const tokensPerPart = 1
const tokensPerImage = 1_600

/** Maximum tokens of an image: vendors scale larger images down. */
const maxTokensPerImage = 5_000

/** Maximum tokens per byte of a document: each page is read as text and as an image, and the text is compressed. */
const maxTokensPerMediaByte = 2

/** Tokens of the vendor's own instructions for tools, which are charged as part of the prompt. */
const tokensOfToolUse = 600

/** Fields that control a request and are not part of its prompt. An unknown field counts as part of the prompt. */
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

/** Returns an upper bound of a prompt's size, from the length of its body, without reading any text. */
export function boundPrompt(request: ChatRequest, bodyBytes: number): PromptSize {
  const size = { ...sizeOf(request), bytes: bodyBytes }
  for (const { content } of request.messages) {
    if (!Array.isArray(content)) continue
    for (const part of content) if (part.type !== 'text') size.bytes -= addMedia(size, part)
  }
  return size
}

/** Measures a prompt without tokenizing it: everything that is sent to a vendor, unknown fields included. */
export function measurePrompt(request: ChatRequest): PromptSize {
  return readPrompt(request, () => {})
}

/** Measures a prompt, and calls `read` with each of its texts, wherever in the request it is. */
export function readPrompt(request: ChatRequest, read: (text: string) => void): PromptSize {
  const size = sizeOf(request)
  const add = (text: string) => {
    size.bytes += Buffer.byteLength(text)
    read(text)
  }
  for (const message of request.messages) {
    const { content } = message
    if (typeof content === 'string') add(content)
    else if (content) for (const part of content) addPart(size, part, add)
    addFields(message, ownOfMessage, add)
  }
  addFields(request, unread, add)
  return size
}

/**
 * Returns the maximum tokens of a prompt, by which money is held. A token has at least one byte of text, and rarely
 * more in digits, rare characters or noise; the count of a tokenizer is closer. A part at a URL may fill the model's
 * context.
 */
export function boundTokens(size: PromptSize): number {
  if (size.isOpen) return Number.POSITIVE_INFINITY
  const media = size.images * maxTokensPerImage + size.mediaBytes * maxTokensPerMediaByte
  const text = Math.min(size.bytes, size.textTokens ?? size.bytes)
  const around = size.messages * tokensPerMessage + size.parts * tokensPerPart
  return text + around + media + (size.hasTools ? tokensOfToolUse : 0)
}

/** Estimates the tokens of a prompt, which its rates count first. */
export function estimateTokens(size: PromptSize): number {
  return Math.ceil(size.bytes / bytesPerToken) + size.messages * tokensPerMessage + estimateMedia(size)
}

/** Estimates the tokens of a prompt's images, documents and sounds. */
export function estimateMedia({ images, mediaBytes }: PromptSize): number {
  return images * tokensPerImage + Math.ceil(mediaBytes / bytesPerToken)
}

function sizeOf({ messages, tools, response_format }: ChatRequest): PromptSize {
  return {
    bytes: 0,
    messages: messages.length,
    parts: 0,
    images: 0,
    mediaBytes: 0,
    isOpen: false,
    hasTools: (tools?.length ?? 0) > 0 || Boolean(response_format),
  }
}

const ownOfMessage: ReadonlySet<string> = new Set(['role', 'content'])
const ownOfText: ReadonlySet<string> = new Set(['type', 'text'])

/** The field of each type of media part, and the field within it that has the content. */
const media: ReadonlyMap<string, { field: string; shown: string }> = new Map([
  ['image_url', { field: 'image_url', shown: 'url' }],
  ['file', { field: 'file', shown: 'file_data' }],
  ['input_audio', { field: 'input_audio', shown: 'data' }],
])

function addPart(size: PromptSize, part: ContentPart, add: (text: string) => void): void {
  if (part.type === 'text' && 'text' in part && typeof part.text === 'string') {
    size.parts += 1
    add(part.text)
    addFields(part, ownOfText, add)
    return
  }
  const own = addMedia(size, part) > 0 ? media.get(part.type) : undefined
  addFields(part, new Set(own && ['type', own.field]), add)
  if (own) addFields(Object(Reflect.get(part, own.field)), new Set([own.shown]), add)
}

/** Adds the media of a part. Returns the number of characters that are not text; 0 if the part has no media. */
function addMedia(size: PromptSize, part: ContentPart): number {
  const own = media.get(part.type)
  const held: unknown = own && Reflect.get(part, own.field)
  const shown: unknown = own && isRecord(held) ? held[own.shown] : undefined
  if (typeof shown !== 'string') {
    size.isOpen ||= mayLeadElsewhere(part)
    return 0
  }
  if (part.type === 'image_url' && !otherData.test(shown)) size.images += 1
  else size.mediaBytes += shown.length
  if (part.type === 'file' && isRecord(held)) size.isOpen ||= Boolean(held.file_url) || elsewhere.test(shown)
  return shown.length
}

/** Content that some vendors accept in place of an image or a document: a video, or a URL. */
const otherData = /^data:(?!image\/)/i
const elsewhere = /^[a-z][a-z0-9+.-]*:\/\//i

/** A JSON string that is a URL as a whole. */
const address = /"[a-z][a-z0-9+.-]*:\/\/[^"\s]*"/i

function mayLeadElsewhere(part: ContentPart): boolean {
  return address.test(JSON.stringify(part))
}

/** Adds the names and values of an object's fields, except the fields in `others`. */
function addFields(fields: object, others: ReadonlySet<string>, add: (text: string) => void): void {
  for (const name in fields) {
    if (others.has(name)) continue
    const value: unknown = Reflect.get(fields, name)
    if (value === undefined || value === null) continue
    add(name)
    add(JSON.stringify(value))
  }
}
