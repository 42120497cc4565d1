import type { Message } from '../../../../schema/wire/chat.ts'
import type { AdapterServices } from '../../../call/adapter-services.ts'
import type { FetchedImage } from '../../../http/fetch-image.ts'
import { imageUrlOf } from './translate-content.ts'

/** Images by the address under which a conversation names them. */
export type Images = ReadonlyMap<string, FetchedImage>

/** Fetches what a conversation shows by address: the vendor takes images only inline. Throws what `AdapterServices` throws. */
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
