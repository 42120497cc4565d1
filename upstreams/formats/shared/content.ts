import { isRecord } from '../../../platform/checks.ts'
import type { ContentPart } from '../../../schema/wire/chat.ts'

/** Returns the address of an image part, which can be a data URI, or undefined for any other part. */
export function imageUrlOf(part: ContentPart): string | undefined {
  const image: unknown = part.type === 'image_url' ? Reflect.get(part, 'image_url') : undefined
  return isRecord(image) && typeof image.url === 'string' ? image.url : undefined
}

/**
 * Reads a data URI in base64. Returns its lower-cased type and its data, or undefined for anything else. Accepts
 * capitals in the type, parameters and white space, like vendors.
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
 * Returns the bytes of a text in base64, or undefined for any other text. The decoder skips other characters, so its
 * result is then too short. Checking megabytes with a pattern would take ten times as long.
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
 * The comment at the beginning of every prompt of one end user, for vendors that cache prefixes of prompts without
 * partitions. With it, a request of one end user cannot hit the cached prompt of another. It is the same in all
 * requests of an end user, so that these can hit the cache (docs/behaviour.md, Prompt caching).
 */
export function saltComment(cacheToken: string): string {
  return `<!-- cache partition ${cacheToken} -->`
}
