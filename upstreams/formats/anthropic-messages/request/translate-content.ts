import { isRecord } from '../../../../platform/is-record.ts'
import { Problem } from '../../../../schema/errors.ts'
import type { ContentPart, Message } from '../../../../schema/wire/chat.ts'
import type { DocumentBlock, ImageBlock, TextBlock, ThoughtBlock } from '../wire.ts'
import { markAs } from './mark-cache.ts'
import { translateDocument } from './translate-document.ts'
import { translateImage } from './translate-image.ts'

type Content = Message['content']

/** Text, images and documents of a user or a tool. Throws `unsupported_parameter` for other parts, naming them. */
export function translateContent(content: Content, at: string): (TextBlock | ImageBlock | DocumentBlock)[] {
  return blocksOf<TextBlock | ImageBlock | DocumentBlock>(content, `${at}.content`, (part, place) => {
    if (part.type === 'file') return [translateDocument(part, place)]
    const url = imageUrlOf(part)
    if (url === undefined) return refusePart(part, place)
    return [translateImage(url, `${place}.image_url.url`)]
  })
}

/** The text of a system message, which may hold nothing else. Throws `unsupported_parameter`. */
export function translateText(content: Content, at: string): TextBlock[] {
  return blocksOf(content, `${at}.content`, refusePart)
}

/** What an assistant said, refusals included. What only another vendor can read (its thoughts, say) is left out. */
export function translateSaid({ content, refusal }: Message & { refusal?: unknown }): TextBlock[] {
  const said = blocksOf(content, '', part => textBlocks(Reflect.get(part, 'refusal')))
  return said.length > 0 ? said : textBlocks(refusal)
}

/** What an assistant thought, as the vendor signed it. Thoughts without a signature are another vendor's. */
export function translateThoughts({ thinking_blocks: thoughts }: Message): ThoughtBlock[] {
  return (thoughts ?? []).flatMap((thought): ThoughtBlock[] => {
    if (thought.type === 'redacted_thinking') return [{ type: 'redacted_thinking', data: thought.data }]
    const { thinking, signature } = thought
    return signature === '' ? [] : [{ type: 'thinking', thinking, signature }]
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
    return markAs(blocks, part)
  })
}

/** The vendor refuses text of nothing but white space, and it says nothing. */
function textBlocks(text: unknown): TextBlock[] {
  return typeof text === 'string' && text.trim() !== '' ? [{ type: 'text', text }] : []
}

function imageUrlOf(part: ContentPart): string | undefined {
  const image: unknown = part.type === 'image_url' ? Reflect.get(part, 'image_url') : undefined
  return isRecord(image) && typeof image.url === 'string' ? image.url : undefined
}

function refusePart(part: ContentPart, at: string): never {
  const message = `The model does not take ${part.type} here.`
  throw new Problem('unsupported_parameter', { param: at, message })
}
