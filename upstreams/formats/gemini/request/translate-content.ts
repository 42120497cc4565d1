import { isRecord } from '../../../../platform/is-record.ts'
import { Problem } from '../../../../schema/errors.ts'
import type { ContentPart, Message } from '../../../../schema/wire/chat.ts'
import type { Part } from '../wire.ts'
import type { Images } from './fetch-images.ts'
import { translateImage } from './translate-image.ts'
import { translateFile, translateSound } from './translate-media.ts'

type Content = Message['content']

/** Text, images, documents and sound of a user or a tool. Throws `unsupported_parameter` for other parts, naming them. */
export function translateContent(content: Content, at: string, images: Images): Part[] {
  return translateParts(content, `${at}.content`, (part, place) => {
    if (part.type === 'file') return [translateFile(part, place)]
    if (part.type === 'input_audio') return [translateSound(part, place)]
    const url = imageUrlOf(part)
    if (url === undefined) throw unsupported(place, `The model does not take ${part.type} here.`)
    return [translateImage(url, `${place}.image_url.url`, images)]
  })
}

/** The text of a system message, which may hold nothing else. Throws `unsupported_parameter`. */
export function translateText(content: Content, at: string): Part[] {
  return translateParts(content, `${at}.content`, (part, place) => {
    throw unsupported(place, `The model does not take ${part.type} here.`)
  })
}

/** What an assistant said, refusals included. What only another vendor can read (its thoughts, say) is left out. */
export function translateSaid({ content, refusal }: Message & { refusal?: unknown }): Part[] {
  const said = translateParts(content, '', part => textParts(Reflect.get(part, 'refusal')))
  return said.length > 0 ? said : textParts(refusal)
}

/** The address of an image part, whichever it is. */
export function imageUrlOf(part: ContentPart): string | undefined {
  const image: unknown = part.type === 'image_url' ? Reflect.get(part, 'image_url') : undefined
  return isRecord(image) && typeof image.url === 'string' ? image.url : undefined
}

/** The vendor refuses empty text, and text that is not Unicode. */
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

function unsupported(param: string, message: string): Problem {
  return new Problem('unsupported_parameter', { param, message })
}
