import type Anthropic from '@anthropic-ai/sdk'
import { isRecord } from '../../../platform/checks.ts'
import type { ContentPart, Message } from '../../../schema/wire/chat.ts'
import { imageUrlOf, readDataUri } from '../shared/content.ts'
import { invalid, unsupported } from '../shared/refusals.ts'
import { withCacheControl } from './caching.ts'
import type { DocumentBlock, ImageBlock, TextBlock, ThinkingBlock } from './wire.ts'

type Content = Message['content']

/**
 * Translates the text, images and documents of a message of a user or a tool. Throws `unsupported_parameter` with the
 * part for any other part.
 */
export function translateContent(content: Content, at: string): (TextBlock | ImageBlock | DocumentBlock)[] {
  return blocksOf<TextBlock | ImageBlock | DocumentBlock>(content, `${at}.content`, (part, place) => {
    if (part.type === 'file') return [translateDocument(part, place)]
    const url = imageUrlOf(part)
    if (url === undefined) return refusePart(part, place)
    return [translateImage(url, `${place}.image_url.url`)]
  })
}

/** Translates the text of a system message. Throws `unsupported_parameter` with the part for anything but text. */
export function translateText(content: Content, at: string): TextBlock[] {
  return blocksOf(content, `${at}.content`, refusePart)
}

/**
 * Translates the text of an assistant's message, including refusals. Parts that only another vendor understands are
 * dropped.
 */
export function translateAnswerText({ content, refusal }: Message & { refusal?: unknown }): TextBlock[] {
  const blocks = blocksOf(content, '', part => textBlocks(Reflect.get(part, 'refusal')))
  return blocks.length > 0 ? blocks : textBlocks(refusal)
}

/**
 * Returns the thinking of an assistant's message that the vendor signed. Thinking without a signature is from another
 * vendor, so it is dropped.
 */
export function translateThinking({ thinking_blocks: thinking }: Message): ThinkingBlock[] {
  return (thinking ?? []).flatMap((block): ThinkingBlock[] => {
    if (block.type === 'redacted_thinking') return [{ type: 'redacted_thinking', data: block.data }]
    const { thinking: text, signature } = block
    return signature === '' ? [] : [{ type: 'thinking', thinking: text, signature }]
  })
}

function blocksOf<Other extends TextBlock | ImageBlock | DocumentBlock>(
  content: Content,
  at: string,
  translateOther: (part: ContentPart, at: string) => Other[],
): (TextBlock | Other)[] {
  if (!Array.isArray(content)) return textBlocks(content)
  return content.flatMap((part, index) => {
    const isText = part.type === 'text'
    const blocks: (TextBlock | Other)[] = isText
      ? textBlocks(Reflect.get(part, 'text'))
      : translateOther(part, `${at}[${index}]`)
    return withCacheControl(blocks, part)
  })
}

/** The vendor refuses text that is only white space, which has no meaning anyway. */
function textBlocks(text: unknown): TextBlock[] {
  return typeof text === 'string' && text.trim() !== '' ? [{ type: 'text', text }] : []
}

function refusePart(part: ContentPart, at: string): never {
  throw unsupported(at, `The model does not take ${part.type} here.`)
}

const mediaTypes = new Map<string, Anthropic.Base64ImageSource['media_type']>([
  ['image/png', 'image/png'],
  ['image/jpeg', 'image/jpeg'],
  ['image/jpg', 'image/jpeg'],
  ['image/gif', 'image/gif'],
  ['image/webp', 'image/webp'],
])

/**
 * Translates an image: inline, or at an HTTPS address from which the vendor downloads it. Throws `invalid_request` with
 * `param`.
 */
export function translateImage(url: string, param: string): ImageBlock {
  if (/^https:\/\//i.test(url) && URL.canParse(url)) return { type: 'image', source: { type: 'url', url } }
  const refuse = (message: string) => invalid(param, message)
  if (!/^data:/i.test(url)) throw refuse('An image is a data: URI or an https:// address.')
  const inline = readDataUri(url)
  if (!inline) throw refuse('A data: URI must be in base64.')
  const mediaType = mediaTypes.get(inline.type)
  if (!mediaType) throw refuse('An image is one of image/png, image/jpeg, image/gif, image/webp.')
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: inline.data } }
}

const maxTitleCharacters = 200

/** Translates a `file` part: a PDF or plain text inline, or a PDF at an HTTPS address. Throws Problem with the part. */
function translateDocument(part: ContentPart, at: string): DocumentBlock {
  const file: unknown = Reflect.get(part, 'file')
  const { filename, ...rest } = isRecord(file) ? file : {}
  const hasName = typeof filename === 'string' && filename !== ''
  return {
    type: 'document',
    source: sourceOf(rest, `${at}.file`),
    ...(hasName && { title: filename.slice(0, maxTitleCharacters) }),
  }
}

function sourceOf(file: Record<string, unknown>, at: string): DocumentBlock['source'] {
  const { file_data: data, file_url: url } = file
  if (typeof data === 'string') return inlineSource(data, `${at}.file_data`)
  if (typeof url === 'string' && /^https:\/\//i.test(url) && URL.canParse(url)) return { type: 'url', url }
  throw unsupported(at, 'A document is a data: URI in file_data or an https:// address in file_url.')
}

function inlineSource(uri: string, param: string): DocumentBlock['source'] {
  const inline = readDataUri(uri)
  if (inline?.type === 'application/pdf') {
    return { type: 'base64', media_type: 'application/pdf', data: inline.data }
  }
  if (inline?.type === 'text/plain') {
    return { type: 'text', media_type: 'text/plain', data: Buffer.from(inline.data, 'base64').toString() }
  }
  throw invalid(param, 'A document is a data: URI in base64, of type application/pdf or text/plain.')
}
