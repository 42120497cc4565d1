import { fileTypeFromBuffer } from 'file-type'

/** A type of file that may be stored. */
export interface MediaType {
  contentType: string
  extension: string
}

/** Number of bytes that identify the type of a file. */
export const sniffedBytes = 4_100

/**
 * The types that are stored: images, videos and audio, and nothing that a browser would run. The sniffer's name of each
 * comes first.
 */
const types = new Map<string, MediaType>([
  ['image/png', { contentType: 'image/png', extension: 'png' }],
  ['image/apng', { contentType: 'image/png', extension: 'png' }],
  ['image/jpeg', { contentType: 'image/jpeg', extension: 'jpg' }],
  ['image/webp', { contentType: 'image/webp', extension: 'webp' }],
  ['image/gif', { contentType: 'image/gif', extension: 'gif' }],
  ['image/avif', { contentType: 'image/avif', extension: 'avif' }],
  ['video/mp4', { contentType: 'video/mp4', extension: 'mp4' }],
  ['video/x-m4v', { contentType: 'video/mp4', extension: 'mp4' }],
  ['video/quicktime', { contentType: 'video/quicktime', extension: 'mov' }],
  ['video/webm', { contentType: 'video/webm', extension: 'webm' }],
  ['audio/mpeg', { contentType: 'audio/mpeg', extension: 'mp3' }],
  ['audio/wav', { contentType: 'audio/wav', extension: 'wav' }],
  ['audio/ogg', { contentType: 'audio/ogg', extension: 'ogg' }],
  ['audio/flac', { contentType: 'audio/flac', extension: 'flac' }],
  ['audio/aac', { contentType: 'audio/aac', extension: 'aac' }],
  ['audio/mp4', { contentType: 'audio/mp4', extension: 'm4a' }],
  ['audio/x-m4a', { contentType: 'audio/mp4', extension: 'm4a' }],
])

/** Audio types without a signature, which the sender must declare. */
const bare = new Map<string, MediaType>([
  ['audio/pcm', { contentType: 'audio/pcm', extension: 'pcm' }],
  ['audio/l16', { contentType: 'audio/l16', extension: 'pcm' }],
])

/** Returns the type under which a file is served. Audio samples have no signature, so they could be anything. */
export function servedTypeOf(contentType: string): string {
  return bare.has(contentType) ? 'application/octet-stream' : contentType
}

/**
 * Returns the type of a file by its first bytes, whatever its sender declares. Audio samples without a signature have
 * the type `declared`. Returns undefined for types that are not stored.
 */
export async function sniff(head: Uint8Array, declared?: string): Promise<MediaType | undefined> {
  const found = await fileTypeFromBuffer(head).catch(() => undefined) // throws for some cut formats
  if (found) return types.get(found.mime.split(';')[0]!)
  const [name = ''] = (declared ?? '').split(';')
  return bare.get(name.trim().toLowerCase())
}
