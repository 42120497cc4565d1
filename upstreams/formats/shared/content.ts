import { isRecord } from '../../../platform/checks.ts'
import type { ContentPart } from '../../../schema/wire/chat.ts'

/** The address of an image part, which may be a data URI; undefined for any other part. */
export function imageUrlOf(part: ContentPart): string | undefined {
  const image: unknown = part.type === 'image_url' ? Reflect.get(part, 'image_url') : undefined
  return isRecord(image) && typeof image.url === 'string' ? image.url : undefined
}

/**
 * Reads a data URI in base64: its lower-cased type and its data; undefined for anything else. Capitals in the
 * type, parameters and white space are accepted, as vendors accept them.
 */
export function readDataUri(uri: string): { type: string; data: string } | undefined {
  if (!/^data:/i.test(uri)) return undefined
  const comma = uri.indexOf(',')
  const [type = '', ...parameters] = uri
    .slice('data:'.length, Math.max(comma, 0))
    .toLowerCase()
    .split(';')
    .map(part => part.trim())
  const data = uri.slice(comma + 1).replace(/\s+/g, '')
  return parameters.includes('base64') && isBase64(data) ? { type, data } : undefined
}

/** Whether a text is base64, of at least two characters. */
export function isBase64(text: string): boolean {
  return decodeBase64(text) !== undefined
}

/**
 * The bytes of a text in base64; undefined where it is none. A pattern would take ten times as long over megabytes:
 * the decoder skips what is no base64, and what it gives is then too short.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const digits = text.length - padding
  // A single character encodes no byte. The decoder also accepts the alphabet of base64url.
  if (digits < 2 || digits % 4 === 1 || text.includes('-') || text.includes('_')) return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === Math.floor((digits * 3) / 4) ? bytes : undefined
}

/**
 * The comment at the beginning of every prompt of one end user, for vendors that cache prefixes of prompts
 * without partitions: no end user's request can then hit what another's has cached. It is the same in all
 * requests of an end user, which would otherwise never hit the cache (docs/behaviour.md, Prompt caching).
 */
export function saltComment(cacheToken: string): string {
  return `<!-- cache partition ${cacheToken} -->`
}
