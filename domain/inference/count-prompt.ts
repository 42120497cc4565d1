import { isRecord } from '../../platform/checks.ts'
import type { ChatRequest, ContentPart } from '../../schema/wire/chat.ts'

/** What a prompt is made of, as far as its size goes. */
export interface PromptSize {
  /** UTF-8 bytes of all that a model may read, its images apart. */
  bytes: number
  /** Tokens that its text has at most, where a tokenizer counted them. */
  textTokens?: number
  messages: number
  /** Text parts of messages. Zero if `bytes` counts the JSON around them. */
  parts: number
  images: number
  /** Characters of documents and sound, which are inline in base64. */
  mediaBytes: number
  /** Something stands at an address that the vendor fetches: nothing here tells how long that is. */
  isOpen: boolean
  /** Tools, or a format that vendors may keep by a tool. */
  hasTools: boolean
}

const bytesPerToken = 4
const tokensPerMessage = 8

/** What a vendor may put between two parts of a message, such as a line break. */
const tokensPerPart = 1
const tokensPerImage = 1_600

/** Vendors cut large images down to so many tokens. */
const maxTokensPerImage = 5_000

/** A page of a document is read as text and as an image, and its text is compressed: tokens for a byte, at most. */
const maxTokensPerMediaByte = 2

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
    for (const part of content) if (part.type !== 'text') size.bytes -= addMedia(size, part)
  }
  return size
}

/** Measures a prompt without tokenizing it: all that is passed on to a vendor, fields that nobody here knows too. */
export function measurePrompt(request: ChatRequest): PromptSize {
  return readPrompt(request, () => {})
}

/** Measures a prompt, and gives to `read` each text that it consists of: where it stands makes no difference. */
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
 * Tokens that no prompt of that size exceeds: what is held for it. Every token of a text is at least a byte of it,
 * and of digits, rare characters or noise hardly more; a tokenizer's own count says it closer. What stands at an address
 * may fill all that a model can read.
 */
export function boundTokens(size: PromptSize): number {
  if (size.isOpen) return Number.POSITIVE_INFINITY
  const media = size.images * maxTokensPerImage + size.mediaBytes * maxTokensPerMediaByte
  const text = Math.min(size.bytes, size.textTokens ?? size.bytes)
  const around = size.messages * tokensPerMessage + size.parts * tokensPerPart
  return text + around + media + (size.hasTools ? tokensOfToolUse : 0)
}

/** Tokens that the prompt probably has: what its rates take at first. */
export function estimateTokens(size: PromptSize): number {
  return Math.ceil(size.bytes / bytesPerToken) + size.messages * tokensPerMessage + estimateMedia(size)
}

/** Tokens that its images, documents and sounds probably have. */
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

/** Of media the fields beside what is shown: `type`, and each with what is shown in it and where. */
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

/** Adds what a part shows: an image, a document, a sound. Answers its characters, which are no text; 0 where it shows nothing. */
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

/** What some vendors take in the place of an image, or of a document: a film, say, or an address. */
const otherData = /^data:(?!image\/)/i
const elsewhere = /^[a-z][a-z0-9+.-]*:\/\//i

/** A value in JSON that is an address from its beginning to its end. */
const address = /"[a-z][a-z0-9+.-]*:\/\/[^"\s]*"/i

function mayLeadElsewhere(part: ContentPart): boolean {
  return address.test(JSON.stringify(part))
}

/** Adds the fields of an object, names and values, but for those of `others`. */
function addFields(fields: object, others: ReadonlySet<string>, add: (text: string) => void): void {
  for (const name in fields) {
    if (others.has(name)) continue
    const value: unknown = Reflect.get(fields, name)
    if (value === undefined || value === null) continue
    add(name)
    add(JSON.stringify(value))
  }
}
