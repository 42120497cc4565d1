import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Ids } from '../../platform/ids.ts'

/**
 * What the text of an API key says: `sk-rb-<public_id:12>-<secret:48>`, or
 * `sk-rb-prov-<public_id:12>-<secret:48>` for a provisioning key. The public id may be logged.
 */
export interface KeyText {
  publicId: string
  isProvisioning: boolean
}

const shape = /^sk-rb-(prov-)?([0-9A-Za-z]{12})-([0-9A-Za-z]{48})$/

/** Parses the text of a key; undefined when it is not one. */
export function parseKeyText(text: string): KeyText | undefined {
  const match = shape.exec(text)
  return match ? { publicId: match[2]!, isProvisioning: match[1] !== undefined } : undefined
}

/** Makes the text of a new key, and its public id. */
export function mintKeyText(ids: Ids, isProvisioning: boolean): { text: string; publicId: string } {
  const publicId = ids.secret(12)
  return { publicId, text: `sk-rb-${isProvisioning ? 'prov-' : ''}${publicId}-${ids.secret(48)}` }
}

/** What lists show of a key: its first 12 characters, an ellipsis, and its last 4. */
export function maskKeyText(text: string): string {
  return `${text.slice(0, 12)}…${text.slice(-4)}`
}

/** What a key is recognised by: HMAC-SHA256 of its whole text under the pepper. */
export function hmacOfKey(pepper: string, text: string): Buffer {
  return createHmac('sha256', pepper).update(text).digest()
}

/** Compares two HMACs in constant time. Without a stored one it compares with zeros, which takes as long. */
export function sameHmac(presented: Buffer, stored: Uint8Array | undefined): boolean {
  const against = stored ?? Buffer.alloc(presented.length)
  return timingSafeEqual(presented, against) && stored !== undefined
}
