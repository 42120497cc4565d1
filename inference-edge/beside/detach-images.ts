import { randomUUID } from 'node:crypto'
import { isRecord } from '../../platform/checks.ts'
import { type DetachedTexts, standIn } from '../../platform/json/detached-texts.ts'
import { decodeBase64 } from '../../upstreams/formats/shared/content.ts'
import type { Protocol } from '../protocols/protocol.ts'

/** The type of an image among the parts of a message, by the route of the request. */
const imageTypes: Partial<Record<Protocol['route'], string>> = {
  'chat.completions': 'image_url',
  messages: 'image',
  responses: 'input_image',
}

/** Length from which an image is detached, in characters of base64. */
const longCharacters = 65_536

const imageUri = /^data:image\/[a-z0-9.+-]{1,40};base64,/i
const noPrefix = /^/
const imageType = /^image\//i

/**
 * Detaches the long images of a request from its JSON, which is changed. Images that are not valid base64 without white
 * space stay, like documents and audio, whose length counts towards the tokens of the prompt. Returns undefined if no
 * image is long.
 */
export function detachImages(json: unknown, route: Protocol['route']): DetachedTexts | undefined {
  const mark = randomUUID().replaceAll('-', '')
  const texts: Uint8Array<ArrayBuffer>[] = []
  const detach = (holder: Record<string, unknown>, field: string, prefix: RegExp) => {
    const text = holder[field]
    if (typeof text !== 'string' || text.length < longCharacters) return
    const head = prefix.exec(text)?.[0]
    const data = text.slice(head?.length)
    if (head === undefined || !decodeBase64(data)) return
    holder[field] = head + standIn(mark, texts.length)
    texts.push(Buffer.from(new ArrayBuffer(data.length)).fill(data, 'latin1'))
  }
  const type = imageTypes[route]
  for (const part of type ? partsOf(json) : []) {
    if (part.type !== type) continue
    const { image_url, source } = part
    if (route === 'messages') {
      const isImage =
        isRecord(source) && source.type === 'base64' && imageType.test(String(source.media_type))
      if (isImage) detach(source, 'data', noPrefix)
    } else if (isRecord(image_url)) detach(image_url, 'url', imageUri)
    else detach(part, 'image_url', imageUri)
  }
  return texts.length > 0 ? { mark, texts } : undefined
}

/** Yields the parts of all messages, and of their tool results. */
function* partsOf(json: unknown): Generator<Record<string, unknown>> {
  if (!isRecord(json)) return
  for (const message of recordsOf(json.messages ?? json.input)) {
    for (const part of recordsOf(message.content)) {
      yield part
      if (part.type === 'tool_result') yield* recordsOf(part.content)
    }
  }
}

function recordsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}
