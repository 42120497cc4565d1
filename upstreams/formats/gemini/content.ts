import { isRecord } from '../../../platform/checks.ts'
import type { ContentPart, Message } from '../../../schema/wire/chat.ts'
import type { AdapterServices, FetchedImage } from '../../chat-adapter.ts'
import { imageUrlOf, isBase64, readDataUri } from '../shared/content.ts'
import { invalid, unsupported } from '../shared/refusals.ts'
import type { Part } from './wire.ts'

type Content = Message['content']

/**
 * Translates the text, images, documents and audio of a message of a user or a tool. Throws `unsupported_parameter`
 * with the part for any other part.
 */
export function translateContent(content: Content, at: string, images: Images): Part[] {
  return translateParts(content, `${at}.content`, (part, place) => {
    if (part.type === 'file') return [translateFile(part, place)]
    if (part.type === 'input_audio') return [translateAudio(part, place)]
    const url = imageUrlOf(part)
    if (url === undefined) throw unsupported(place, `The model does not take ${part.type} here.`)
    return [translateImage(url, `${place}.image_url.url`, images)]
  })
}

/** Translates the text of a system message. Throws `unsupported_parameter` with the part for anything but text. */
export function translateText(content: Content, at: string): Part[] {
  return translateParts(content, `${at}.content`, (part, place) => {
    throw unsupported(place, `The model does not take ${part.type} here.`)
  })
}

/**
 * Translates the text of an assistant's message, including refusals. Parts that only another vendor understands are
 * dropped.
 */
export function translateAnswerText({ content, refusal }: Message & { refusal?: unknown }): Part[] {
  const parts = translateParts(content, '', part => textParts(Reflect.get(part, 'refusal')))
  return parts.length > 0 ? parts : textParts(refusal)
}

/** The vendor refuses empty text, and text with unpaired surrogates. */
function textParts(text: unknown): Part[] {
  return typeof text === 'string' && text !== '' ? [{ text: text.toWellFormed() }] : []
}

function translateParts(
  content: Content,
  at: string,
  translateOther: (part: ContentPart, at: string) => Part[],
): Part[] {
  if (!Array.isArray(content)) return textParts(content)
  return content.flatMap((part, index) =>
    part.type === 'text' ? textParts(Reflect.get(part, 'text')) : translateOther(part, `${at}[${index}]`),
  )
}

const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif']

/** Returns an inline image, from a data URI or downloaded. Throws `invalid_request` with `param`. */
function translateImage(url: string, param: string, images: Images): Part {
  const inline = readInline(url) ?? images.get(url)
  if (!inline) throw invalid(param, 'An image is an https:// address or a data: URI in base64.')
  const { mimeType, data } = inline
  if (!imageTypes.includes(mimeType)) {
    throw invalid(param, `The model takes ${imageTypes.join(', ')}, not ${mimeType || 'this'}.`)
  }
  return { inlineData: { mimeType, data } }
}

function readInline(url: string): { mimeType: string; data: string } | undefined {
  const inline = readDataUri(url)
  if (!inline) return undefined
  const { type, data } = inline
  return { mimeType: type === 'image/jpg' ? 'image/jpeg' : type, data }
}

const documentTypes = ['application/pdf', 'text/plain']
const audioFormats = ['wav', 'mp3', 'aiff', 'aac', 'ogg', 'flac']

/** Translates an inline `file` part. The vendor downloads no files. Throws Problem with the part. */
function translateFile(part: ContentPart, at: string): Part {
  const file: unknown = Reflect.get(part, 'file')
  const data = isRecord(file) ? file.file_data : undefined
  if (typeof data !== 'string') {
    throw unsupported(`${at}.file`, 'A document is a data: URI in file_data.')
  }
  const inline = readDataUri(data)
  if (inline && documentTypes.includes(inline.type)) {
    return { inlineData: { mimeType: inline.type, data: inline.data } }
  }
  throw invalid(
    `${at}.file.file_data`,
    `A document is a data: URI in base64, of type ${documentTypes.join(' or ')}.`,
  )
}

/** Translates an inline `input_audio` part. Throws `invalid_request` with the invalid field. */
function translateAudio(part: ContentPart, at: string): Part {
  const audio: unknown = Reflect.get(part, 'input_audio')
  const { data, format } = isRecord(audio) ? audio : {}
  const refuseSound = (field: string, message: string) => invalid(`${at}.input_audio.${field}`, message)
  if (!audioFormats.includes(String(format))) {
    throw refuseSound('format', `A sound is one of ${audioFormats.join(', ')}.`)
  }
  if (typeof data !== 'string' || !isBase64(data)) throw refuseSound('data', 'A sound is in base64.')
  return { inlineData: { mimeType: `audio/${format}`, data } }
}

/** Downloaded images by address. */
export type Images = ReadonlyMap<string, FetchedImage>

/**
 * Downloads the images of a conversation that have a URL, because the vendor accepts only inline images. Throws the
 * errors of `AdapterServices.fetchImages`.
 */
export function fetchImages(messages: readonly Message[], services: AdapterServices): Promise<Images> {
  const params = new Map<string, string>()
  for (const [index, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue
    for (const [position, part] of content.entries()) {
      const url = imageUrlOf(part)
      const param = `messages[${index}].content[${position}].image_url.url`
      if (url && /^https?:/i.test(url) && !params.has(url)) params.set(url, param)
    }
  }
  return services.fetchImages(params)
}
