import type { Message } from '../../../schema/wire/chat.ts'
import type { Outside } from '../../outside.ts'
import { imageUrlOf } from './translate-content.ts'

/** Images by the address under which a conversation names them. */
export type Images = ReadonlyMap<string, { mimeType: string; data: string }>

/** Fetches what a conversation shows by address: the vendor takes images only inline. Throws what `fetchImage` throws. */
export async function fetchImages(messages: readonly Message[], outside: Outside): Promise<Images> {
  const places = new Map<string, string>()
  for (const [index, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue
    for (const [position, part] of content.entries()) {
      const url = imageUrlOf(part)
      const param = `messages[${index}].content[${position}].image_url.url`
      if (url && /^https?:/i.test(url) && !places.has(url)) places.set(url, param)
    }
  }
  const fetched = [...places].map(
    async ([url, param]) => [url, await outside.fetchImage(url, param)] as const,
  )
  return new Map(await Promise.all(fetched))
}
